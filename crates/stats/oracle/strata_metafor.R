# Pooled contrasts by metafor's rma.mh: golden/strata_metafor.json. Rows are base_k, base_n, test_k, test_n.
# The risk difference's standard error is Sato's at the estimate itself: Klingenberg's interval rests on the
# same variance as a function of the difference.
# Usage: Rscript strata_metafor.R     (metafor, jsonlite)
suppressMessages({ library(metafor); library(jsonlite) })
set.seed(20250801)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
na <- function(x) { x <- unname(as.numeric(x)); x[!is.finite(x)] <- NA; x }

inputs <- list(
  rbind(c(8, 10, 0, 10), c(3, 10, 1, 10)), rbind(c(0, 5, 3, 5), c(0, 4, 1, 9)), rbind(c(5, 5, 5, 5), c(1, 3, 2, 3)),
  rbind(c(0, 5, 0, 5), c(2, 7, 5, 6)), rbind(c(5, 5, 0, 5), c(4, 4, 0, 4)), rbind(c(0, 10, 10, 10)),
  matrix(rep(c(1, 1, 0, 1), 12), ncol = 4, byrow = TRUE), rbind(c(0, 1, 1, 1), c(1, 1, 0, 1), c(0, 1, 1, 1)),
  rbind(c(1, 1000, 1000, 1000), c(0, 2, 1, 2)), rbind(c(500, 10000, 400, 10000), c(30, 9000, 60, 9500)))
for (i in 1:110) {
  most <- sample(c(3, 12, 60, 5000), 1)
  rows <- t(sapply(1:sample(1:9, 1), function(j) {
    n <- sample(most, 2, replace = TRUE)
    p <- sample(c(0, 0.02, 0.2, 0.6, 0.95, 1), 2, replace = TRUE)
    c(rbinom(1, n[1], p[1]), n[1], rbinom(1, n[2], p[2]), n[2])
  }))
  inputs <- c(inputs, list(rows))
}

# metafor warns or stops where a measure does not exist; then there is none.
pooled <- function(rows, measure, level) tryCatch(suppressWarnings(
  rma.mh(ai = rows[, 3], n1i = rows[, 4], ci = rows[, 1], n2i = rows[, 2], measure = measure, level = 100 * level,
         correct = FALSE)), error = function(e) NULL)

cases <- lapply(seq_along(inputs), function(i) {
  rows <- inputs[[i]]
  level <- c(0.95, 0.9, 0.99)[1 + i %% 3]
  out <- list(strata = rows, level = level)
  difference <- pooled(rows, "RD", level)
  out$difference <- if (is.null(difference)) c(NA, NA) else na(c(difference$beta, difference$se))
  # An estimate of 0 or infinity has a logarithm that metafor does not take.
  ratio <- pooled(rows, "RR", level)
  out$ratio <- if (is.null(ratio)) NA else na(exp(ratio$beta))
  odds <- pooled(rows, "OR", level)
  out$odds <- if (is.null(odds)) c(NA, NA, NA) else na(exp(c(odds$beta, odds$ci.lb, odds$ci.ub)))
  out$cmh <- if (is.null(odds)) c(NA, NA) else na(c(odds$MH, odds$MHp))
  out$tarone <- if (is.null(odds)) c(NA, NA, NA) else na(c(odds$TA, odds$TAp, odds$k.pos))
  out
})
versions <- list(R = paste(R.version$major, R.version$minor, sep = "."), metafor = as.character(packageVersion("metafor")))
rows <- vapply(cases, toJSON, "", digits = I(17), auto_unbox = TRUE, na = "null", null = "null")
writeLines(c(paste0('{"versions": ', toJSON(versions, auto_unbox = TRUE), ',\n"cases": ['),
             paste(rows, collapse = ",\n"), "]}"), file.path(here, "golden", "strata_metafor.json"))
