# The dip's p-value by simulation with diptest: golden/dip.json. Not its table, whose sizes are few.
# Usage: Rscript dip.R     (diptest, jsonlite)
suppressMessages({ library(diptest); library(jsonlite) })
set.seed(20250803)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
cases <- list()
p_value <- function(x, dips) list(dip = dip(x), p_value = mean(dips >= dip(x) - 1e-12), draws = length(dips))
for (n in c(2, 3, 4, 5, 8, 10, 24, 72, 200)) {
  dips <- replicate(50000, dip(runif(n)))
  for (x in list(runif(n), rnorm(n), c(rnorm(n %/% 2), rnorm(n - n %/% 2, 3)), c(rnorm(n %/% 2), rnorm(n - n %/% 2, 4)))) {
    x <- sort(signif(x, 5))
    cases <- c(cases, list(c(list(n = n, x = I(x)), p_value(x, dips))))
  }
}
# Above the size at which ours turns to the settled law of sqrt(n) times the dip: even steps with a gap amid them.
dips <- replicate(10000, dip(runif(3000)))
for (gap in c(0.03, 0.04)) {
  x <- (1:3000) / 3000 + gap * (1:3000 > 1500)
  cases <- c(cases, list(c(list(n = 3000, gap = gap), p_value(x, dips))))
}
# Ties, as throughputs printed to two digits have.
for (n in c(6, 24, 60)) {
  dips <- replicate(50000, dip(runif(n)))
  x <- sort(round(rexp(n) * 4)); cases <- c(cases, list(c(list(n = n, x = I(x)), p_value(x, dips))))
}
versions <- list(R = paste(R.version$major, R.version$minor, sep = "."), diptest = as.character(packageVersion("diptest")))
rows <- vapply(cases, toJSON, "", digits = I(17), auto_unbox = TRUE, null = "null")
writeLines(c(paste0('{"versions": ', toJSON(versions, auto_unbox = TRUE), ',\n"cases": ['),
             paste(rows, collapse = ",\n"), "]}"), file.path(here, "golden", "dip.json"))
