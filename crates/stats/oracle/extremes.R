# Expected values at the edges that the random cases of the other scripts seldom meet:
# golden/extremes.json. Medians' ranks by pbinom, dips by diptest, curves, rank tests and Cox's ratio
# by survival.
# Usage: Rscript extremes.R     (survival, diptest, jsonlite)
suppressMessages({ library(survival); library(diptest); library(jsonlite) })
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
na <- function(x) { x <- unname(as.numeric(x)); x[!is.finite(x)] <- NA; x }

# The greatest rank k with P(Bin(n, 1/2) < k) at most the tail; 0 where there is none.
medians <- list()
for (n in c(1:12, 24, 25, 100, 101, 1000, 100000)) for (level in c(0.5, 0.8, 0.95, 0.99))
  medians <- c(medians, list(list(n = n, level = level,
    rank = qbinom((1 - level) / 2, n, 0.5) + (pbinom(qbinom((1 - level) / 2, n, 0.5), n, 0.5) <= (1 - level) / 2))))

dips <- lapply(list(5, c(1, 2), c(3, 3), c(1, 2, 3), c(0, 0, 1), c(2, 2, 2, 2), c(0, 0, 1, 1), c(0, 0, 0, 0, 9),
                    c(1, 1, 1, 5, 5, 5, 9, 9, 9), rep(c(0, 1), each = 50), rep(7, 200)),
               function(x) list(x = I(x), dip = dip(x)))

# Events and censorings at 0, all at one time, one trial, nothing seen.
curves <- list(list(0, 1), list(0, 0), list(c(0, 0), c(1, 0)), list(c(0, 0, 5), c(1, 0, 1)),
  list(c(0, 1, 1, 2), c(0, 1, 0, 1)), list(rep(3, 10), rep(1, 10)), list(rep(3, 10), rep(0, 10)),
  list(rep(3, 10), c(1, rep(0, 9))), list(c(1e-300, 1e300), c(1, 1)), list(1:3, c(0, 0, 0)),
  list(c(4, 4, 4, 4, 9), c(1, 1, 0, 0, 0)))
curves <- lapply(curves, function(d) {
  f <- survfit(Surv(d[[1]], d[[2]]) ~ 1, conf.type = "log-log", timefix = FALSE)
  list(time = I(d[[1]]), event = I(d[[2]]), steps = I(f$time), at_risk = I(f$n.risk),
       survival = I(f$surv), median = unname(summary(f)$table["median"]))
})

sides <- list(list(0, 1, 0, 1), list(0, 1, 1, 1), list(c(0, 1), c(1, 1), c(0, 2), c(0, 1)),
  list(1, 1, 2, 0), list(1, 0, 2, 1), list(rep(3, 4), rep(1, 4), rep(3, 4), c(1, 0, 0, 0)),
  list(1:4, rep(1, 4), 5:8, rep(1, 4)), list(5:8, rep(1, 4), 1:4, rep(1, 4)),
  list(1:4, rep(0, 4), 1:4, rep(1, 4)), list(c(2, 2, 2), c(1, 1, 0), c(2, 2), c(1, 0)),
  list(rep(1, 3), rep(0, 3), rep(1, 3), rep(0, 3)))
sides <- lapply(sides, function(d) {
  time <- c(d[[1]], d[[3]]); event <- c(d[[2]], d[[4]])
  group <- rep(1:2, c(length(d[[1]]), length(d[[3]])))
  out <- list(time = I(time), event = I(event), group = I(group))
  # Without an event, and with a variance of 0 where it divides by it, survdiff has no answer.
  test <- tryCatch(survdiff(Surv(time, event) ~ group), error = function(e) NULL)
  out$chi_square <- if (is.null(test)) NA else na(test$chisq)
  # Where the variance is 0 survdiff gives 0 or a rounding of it; nothing can be told there.
  if (!is.null(test) && !isTRUE(test$var[1, 1] > 1e-12)) out$chi_square <- NA
  cox <- suppressWarnings(coxph(Surv(time, event) ~ group, ties = "efron",
    control = coxph.control(timefix = FALSE, eps = 1e-13, iter.max = 100)))
  # A ratio of 1 out of data that hold nothing on it has no variance.
  known <- sum(event) > 0 && isTRUE(abs(coef(cox)) <= 12) && isTRUE(cox$var[1, 1] > 0)
  out$log_ratio <- if (known) unname(coef(cox)) else NA
  out
})

versions <- list(R = paste(R.version$major, R.version$minor, sep = "."),
  survival = as.character(packageVersion("survival")), diptest = as.character(packageVersion("diptest")))
part <- function(name, rows) paste0('"', name, '": [\n',
  paste(vapply(rows, toJSON, "", digits = I(17), auto_unbox = TRUE, na = "null", null = "null"), collapse = ",\n"), "\n]")
writeLines(paste0('{"versions": ', toJSON(versions, auto_unbox = TRUE), ",\n",
  paste(part("medians", medians), part("dips", dips), part("curves", curves), part("sides", sides), sep = ",\n"), "}"),
  file.path(here, "golden", "extremes.json"))
