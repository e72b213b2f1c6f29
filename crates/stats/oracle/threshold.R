# Firth estimates by brglm2 and isotonic estimates by isoreg, for threshold.py.
# Usage: Rscript threshold.R INPUT.json OUTPUT.json
suppressMessages({ library(brglm2); library(jsonlite) })
files <- commandArgs(trailingOnly = TRUE)
cases <- fromJSON(files[1], simplifyVector = FALSE)
results <- lapply(cases, function(case) {
  threads <- unlist(case$threads); n <- unlist(case$n); k <- unlist(case$k)
  # Each thread count once: what came in several rows is summed.
  fit <- suppressWarnings(glm(cbind(k, n - k) ~ log2(threads), family = binomial("logit"),
    method = "brglmFit", type = "AS_mean",
    control = brglmControl(epsilon = 1e-13, maxit = 10000, slowit = 1)))
  # isoreg takes no weights: a count is repeated n times.
  steps <- isoreg(rep(seq_along(n), n), unlist(mapply(rep, k / n, n)))
  list(intercept = unname(coef(fit)[1]), slope = unname(coef(fit)[2]),
       isotonic = steps$yf[cumsum(n)])
})
versions <- list(R = paste(R.version$major, R.version$minor, sep = "."),
                 brglm2 = as.character(packageVersion("brglm2")))
write_json(list(versions = versions, results = results), files[2], digits = NA, auto_unbox = TRUE)
