# Expected values for the dip and the mixture: golden/bimodality.json.
# diptest::dip and dip.test, mclust's E and V models with two components.
# Usage: Rscript bimodality.R     (diptest, mclust, jsonlite)
suppressMessages({ library(diptest); library(mclust); library(jsonlite) })
set.seed(20250104)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))

sample_of <- function(i) {
  n <- c(4, 5, 8, 10, 17, 24, 50, 100, 200)[1 + i %% 9]
  x <- switch(1 + i %% 6,
    rnorm(n), rexp(n), runif(n),
    ifelse(runif(n) < 0.4, rnorm(n, 0, 0.3), rnorm(n, 3, 0.5)),
    ifelse(runif(n) < 0.1, rnorm(n, -4, 0.4), rnorm(n, 0, 0.2)),
    c(rnorm(n - n %/% 2, 0, 1), rnorm(n %/% 2, 2.5, 1)))
  # Ties in every fourth, many in every eighth.
  if (i %% 8 == 3) round(x) else if (i %% 4 == 1) round(x, 1) else round(x, 7)
}

fit <- function(x, model) {
  found <- tryCatch(suppressWarnings(Mclust(x, G = 2, modelNames = model, verbose = FALSE,
    control = emControl(tol = c(1e-14, 1e-14), itmax = c(100000, 100000)))), error = function(e) NULL)
  if (is.null(found)) return(NULL)
  p <- found$parameters
  list(log_likelihood = found$loglik, bic = -found$bic, weight = p$pro, mu = unname(p$mean),
       sigma = rep_len(sqrt(p$variance$sigmasq), 2))
}

cases <- lapply(0:239, function(i) {
  x <- sort(sample_of(i))
  out <- list(logs = x, dip = dip(x))
  if (length(x) >= 8 && length(unique(x)) > 1) {
    one <- Mclust(x, G = 1, modelNames = "V", verbose = FALSE)
    out$one <- list(log_likelihood = one$loglik, bic = -one$bic)
    out$equal <- fit(x, "E")
    out$unequal <- fit(x, "V")
  }
  if (i %% 6 == 0 && length(x) >= 8) out$p_value <- dip.test(x)$p.value
  out
})
versions <- list(R = paste(R.version$major, R.version$minor, sep = "."),
  diptest = as.character(packageVersion("diptest")), mclust = as.character(packageVersion("mclust")))
rows <- vapply(cases, toJSON, "", digits = NA, auto_unbox = TRUE, null = "null")
writeLines(c(paste0('{"versions": ', toJSON(versions, auto_unbox = TRUE), ',\n"cases": ['),
             paste(rows, collapse = ",\n"), "]}"), file.path(here, "golden", "bimodality.json"))
