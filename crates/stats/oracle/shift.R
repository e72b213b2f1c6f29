# Samples with ties and above the exact law's size: golden/shift.json. Hodges-Lehmann's interval by R's own law of U
# (pwilcox, which knows no ties) on the sorted differences; Mann-Whitney's normal p-values by wilcox.test.
# Usage: Rscript shift.R     (jsonlite)
suppressMessages(library(jsonlite))
set.seed(20250804)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
na <- function(x) { x[!is.finite(x)] <- NA; x }
cases <- lapply(1:70, function(i) {
  large <- i %% 3 == 0
  m <- sample(if (large) 70:160 else 1:30, 1); n <- sample(if (large) 70:160 else 1:30, 1)
  digits <- sample(c(0, 1, 6), 1)
  a <- round(rnorm(m, 0.3, 2), digits); b <- round(rnorm(n, 0, 2), digits)
  if (i <= 2) { a <- rep(2, m); b <- rep(2, n) }
  level <- sample(c(0.95, 0.9, 0.99), 1); tail <- (1 - level) / 2
  differences <- sort(outer(a, b, "-"))
  # k: how many values of U, from 0 up, stay within the tail together.
  k <- if (large) floor(m * n / 2 - qnorm(1 - tail) * sqrt(m * n * (m + n + 1) / 12)) else
    sum(pwilcox(0:(m * n), m, n) <= tail * (1 + 1e-12))
  out <- list(a = I(a), b = I(b), level = level, estimate = median(differences),
              interval = if (k >= 1) differences[c(k, m * n + 1 - k)] else c(NA, NA))
  if (large) {
    p <- function(side) suppressWarnings(wilcox.test(a, b, alternative = side, exact = FALSE, correct = TRUE))
    out$u <- unname(p("two.sided")$statistic)
    out$p <- c(p("two.sided")$p.value, p("less")$p.value, p("greater")$p.value)
  }
  out
})
versions <- list(R = paste(R.version$major, R.version$minor, sep = "."))
rows <- vapply(cases, toJSON, "", digits = I(15), auto_unbox = TRUE, na = "null", null = "null")
writeLines(c(paste0('{"versions": ', toJSON(versions, auto_unbox = TRUE), ',\n"cases": ['),
             paste(rows, collapse = ",\n"), "]}"), file.path(here, "golden", "shift.json"))
