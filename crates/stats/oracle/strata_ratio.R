# The common ratio's score interval by ratesci: golden/strata_ratio.json. Rows are base_k, base_n, test_k, test_n.
# Miettinen and Nurminen's score with Mantel-Haenszel weights, N / (N - 1) on each stratum's variance, no skewness
# correction, and nothing added to strata without events or with nothing but events (sda, fda). `score` is the
# statistic at a ratio of 1, whose square is Cochran, Mantel and Haenszel's.
# ratesci halves the ratio's range until 15 digits of an angle stand still; a bound far from 1 keeps fewer.
# Usage: Rscript strata_ratio.R     (ratesci, jsonlite)
suppressMessages({ library(ratesci); library(jsonlite) })
set.seed(20251130)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
na <- function(x) { x <- unname(as.numeric(x)); x[!is.finite(x)] <- NA; x }

inputs <- list(
  rbind(c(4, 24, 0, 24)), rbind(c(0, 24, 4, 24)), rbind(c(7, 10, 3, 12)), rbind(c(20, 20, 19, 20)),
  rbind(c(8, 8, 0, 8), c(8, 8, 0, 8), c(0, 24, 0, 24), c(4, 24, 0, 24)), rbind(c(0, 5, 3, 5), c(0, 4, 1, 9)),
  rbind(c(5, 5, 0, 5), c(4, 4, 0, 4)), rbind(c(0, 1, 1, 1), c(1, 1, 0, 1), c(0, 1, 1, 1)),
  matrix(rep(c(1, 1, 0, 1, 0, 1, 0, 1), 20), ncol = 4, byrow = TRUE),
  rbind(c(500, 10000, 400, 10000), c(30, 9000, 60, 9500)))
for (i in 1:110) {
  most <- sample(c(1, 3, 12, 60, 3000), 1)
  rows <- t(sapply(1:sample(c(1, 2, 5, 20), 1), function(j) {
    n <- sample(most, 2, replace = TRUE)
    p <- sample(c(0.02, 0.2, 0.6, 0.9), 2, replace = TRUE)
    c(rbinom(1, n[1], p[1]), n[1], rbinom(1, n[2], p[2]), n[2])
  }))
  # Without an event there is nothing to compare.
  if (sum(rows[, c(1, 3)]) > 0) inputs <- c(inputs, list(rows))
}

cases <- lapply(seq_along(inputs), function(i) {
  rows <- inputs[[i]]
  level <- c(0.95, 0.9, 0.99)[1 + i %% 3]
  found <- scoreci(x1 = rows[, 3], n1 = rows[, 4], x2 = rows[, 1], n2 = rows[, 2], contrast = "RR", level = level,
                   stratified = nrow(rows) > 1, weighting = "MH", skew = FALSE, bcf = TRUE, rr_tang = FALSE,
                   sda = 0, fda = 0, precis = 15, warn = FALSE)
  list(strata = rows, level = level, interval = na(found$estimates[1, c("lower", "upper")]),
       score = na(found$pval[1, "scorenull"]))
})
versions <- list(R = paste(R.version$major, R.version$minor, sep = "."), ratesci = as.character(packageVersion("ratesci")))
rows <- vapply(cases, toJSON, "", digits = I(17), auto_unbox = TRUE, na = "null", null = "null")
writeLines(c(paste0('{"versions": ', toJSON(versions, auto_unbox = TRUE), ',\n"cases": ['),
             paste(rows, collapse = ",\n"), "]}"), file.path(here, "golden", "strata_ratio.json"))
