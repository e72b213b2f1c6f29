# Contrasts of survival by R's survival package, also where the likelihood has no maximum:
# golden/survival_contrasts.json. Stratified log-rank and Cox (ties by Efron), differences of restricted means,
# quantiles, the test of a Weibull shape of 1, and an exponential rate's profile interval.
# Usage: Rscript survival_contrasts.R     (survival, jsonlite)
suppressMessages({ library(survival); library(jsonlite) })
RNGkind("Mersenne-Twister"); set.seed(20250802)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
na <- function(x) { x <- unname(as.numeric(x)); x[!is.finite(x)] <- NA; x }
one_of <- function(x) x[sample.int(length(x), 1)]
tight <- coxph.control(timefix = FALSE, eps = 1e-13, toler.chol = 1e-14, iter.max = 200)

side <- function(n, rate, ties) {
  if (n == 0) return(data.frame(time = numeric(0), event = numeric(0)))
  t <- signif(rexp(n, rate) * one_of(c(1, 1, 30)), 5)
  if (ties) t <- ceiling(t * 2) / 2
  end <- switch(one_of(c("none", "fixed", "random", "random", "all")), none = Inf, fixed = 1.5,
                random = if (ties) ceiling(rexp(n) * 4) / 2 else signif(rexp(n) * 1.5, 5), all = 0)
  if (identical(end, 0)) data.frame(time = t, event = 0) else data.frame(time = pmin(t, end), event = as.numeric(t <= end))
}

# The log partial likelihood at a log ratio b, the data's own strata in it.
likelihood <- function(d, b) coxph(Surv(time, event) ~ offset(b * test) + strata(stratum), d, ties = "efron",
                                   control = coxph.control(timefix = FALSE))$loglik[1]

bound <- function(d, target, from, direction) {
  at <- function(b) likelihood(d, b) - target
  step <- 0.5
  while (at(from + direction * step) > 0) { step <- step * 2; if (step > 64) return(NA) }
  uniroot(at, sort(c(from, from + direction * step)), tol = 1e-13, maxiter = 1000)$root
}

contrast <- function(d, level) {
  strata <- split(d, d$stratum)
  out <- list(level = level, strata = unname(lapply(strata, function(s) list(
    base = list(time = I(s$time[s$test == 0]), event = I(s$event[s$test == 0])),
    test = list(time = I(s$time[s$test == 1]), event = I(s$event[s$test == 1]))))))
  # survdiff takes no timefix: it gets the ranks of the times, of which no two are near.
  d$rank <- match(d$time, sort(unique(d$time)))
  s <- tryCatch(survdiff(Surv(rank, event) ~ test + strata(stratum), d), error = function(e) NULL)
  known <- !is.null(s) && isTRUE(s$var[1, 1] > 1e-12)
  out$log_rank <- if (known) c(s$chisq, pchisq(s$chisq, 1, lower.tail = FALSE)) else c(NA, NA)
  # Without an event the log partial likelihood is 0; coxph refuses to say so.
  null <- if (sum(d$event) > 0) likelihood(d, 0) else 0
  out$null <- null
  # The likelihood is concave in b: flat everywhere, rising without end to one side, or with a maximum.
  far <- if (sum(d$event) > 0) c(likelihood(d, -25), likelihood(d, 25)) else c(0, 0)
  half <- qchisq(level, 1) / 2
  if (all(abs(far - null) < 1e-12)) return(c(out, list(kind = "flat")))
  m <- suppressWarnings(coxph(Surv(time, event) ~ test + strata(stratum), d, ties = "efron", control = tight))
  b <- coef(m)[[1]]
  if (!is.finite(b) || abs(b) > 10) {
    out$kind <- if (far[1] > far[2]) "zero" else "infinite"
    top <- max(far)
    out$bound <- if (out$kind == "zero") exp(bound(d, top - half, -25, 1)) else exp(bound(d, top - half, 25, -1))
  } else {
    top <- m$loglik[2]
    out <- c(out, list(kind = "finite", log_ratio = b, se = sqrt(m$var[1, 1]),
      profile = exp(c(bound(d, top - half, b, -1), bound(d, top - half, b, 1))),
      wald = exp(b + c(-1, 1) * qnorm(1 - (1 - level) / 2) * sqrt(m$var[1, 1]))))
  }
  out$maximum <- top
  out$likelihood_ratio <- c(2 * (top - null), pchisq(2 * (top - null), 1, lower.tail = FALSE))
  out
}

stratified <- lapply(1:110, function(i) {
  k <- one_of(c(1, 1, 1, 2, 3, 5)); ties <- runif(1) < 0.5
  sizes <- if (k > 2) c(0, 1, 1, 2, 4) else c(1, 2, 4, 7, 15)
  parts <- lapply(1:k, function(j) {
    n <- c(one_of(sizes), one_of(sizes))
    if (k == 1 || j == 1) n <- pmax(n, 1)
    rates <- c(1, one_of(c(0.2, 1, 5)))
    sides <- lapply(1:2, function(g) { s <- side(n[g], rates[g], ties); if (nrow(s)) cbind(s, test = g - 1) else NULL })
    cbind(do.call(rbind, sides), stratum = j)
  })
  d <- do.call(rbind, parts[!vapply(parts, function(p) ncol(p) < 4, TRUE)])
  contrast(d, one_of(c(0.95, 0.95, 0.8, 0.99)))
})

# Restricted means of both sides and their difference; until is within both curves.
means <- list()
while (length(means) < 80) {
  ties <- runif(1) < 0.4; n <- c(one_of(c(1, 2, 5, 12, 40)), one_of(c(1, 2, 5, 12, 40)))
  sides <- list(side(n[1], 1, ties), side(n[2], one_of(c(0.3, 1, 3)), ties))
  last <- min(sapply(sides, function(s) max(s$time)))
  until <- signif(last * one_of(c(1, 0.7, 0.2)), 3); if (until <= 0 || until > last) next
  level <- one_of(c(0.95, 0.9, 0.99)); z <- qnorm(1 - (1 - level) / 2)
  # summary.survfit has no area that ends before the first time; there it is until, without a variance.
  found <- sapply(sides, function(s) if (min(s$time) >= until) c(until, 0) else
    unname(summary(survfit(Surv(time, event) ~ 1, s, timefix = FALSE), rmean = until)$table[c("rmean", "se(rmean)")]))
  difference <- found[1, 2] - found[1, 1]; se <- sqrt(sum(found[2, ]^2))
  means <- c(means, list(list(level = level, until = until,
    base = list(time = I(sides[[1]]$time), event = I(sides[[1]]$event)),
    test = list(time = I(sides[[2]]$time), event = I(sides[[2]]$event)),
    mean = found[1, ], se = found[2, ],
    one = if (found[2, 1] > 0) c(max(0, found[1, 1] - z * found[2, 1]), min(until, found[1, 1] + z * found[2, 1])) else c(NA, NA),
    difference = difference,
    interval = if (se > 0) c(max(-until, difference - z * se), min(until, difference + z * se)) else c(NA, NA),
    p_value = if (se > 0) 2 * pnorm(-abs(difference / se)) else NA)))
}

quantiles <- lapply(1:60, function(i) {
  s <- side(one_of(c(1, 2, 3, 6, 10, 24, 60)), 1, runif(1) < 0.4)
  level <- one_of(c(0.95, 0.8, 0.99)); p <- c(0.1, 0.25, 0.5, 0.75, 0.9)
  out <- list(level = level, time = I(s$time), event = I(s$event), p = p)
  for (type in c("plain", "log", "log-log")) {
    f <- survfit(Surv(time, event) ~ 1, s, conf.type = type, conf.int = level, timefix = FALSE)
    # The first time at which the bound is so, as quantile() has it only where a bound falls throughout.
    first <- function(is) sapply(p, function(p) f$time[which(is(p))[1]])
    # Where the curve ends at 1 - p exactly, quantile() has the middle of what was followed of it; print(f) has its start.
    estimate <- quantile(f, p, conf.int = FALSE)
    ends <- which(abs(min(f$surv) - (1 - p)) < 1e-12)
    estimate[ends] <- f$time[which(f$surv <= min(f$surv) + 1e-12)[1]]
    out[[type]] <- list(estimate = na(estimate), low = na(first(function(p) f$lower <= 1 - p)),
                        high = na(first(function(p) f$upper < 1 - p)))
  }
  out
})

# Weibull against exponential; times that are exact, or known between two looks or from below alone.
shapes <- list()
while (length(shapes) < 60) {
  t <- signif(rweibull(one_of(c(3, 5, 10, 40)), one_of(c(0.5, 1, 1, 3))), 5) + 1e-4
  left <- right <- t
  if (runif(1) < 0.5) { left <- floor(t * 2) / 2; right <- left + 0.5; left[left == 0] <- NA }
  gone <- runif(length(t)) < one_of(c(0, 0.3)); right[gone] <- NA; left[gone & is.na(left)] <- 0.1
  # Where one moment lies in all intervals a spike there is best; survreg stops on the way to it.
  if (max(left, na.rm = TRUE) <= min(right, na.rm = TRUE)) next
  s <- Surv(left, right, type = "interval2")
  control <- survreg.control(rel.tolerance = 1e-14, maxiter = 500)
  fit <- function(law) tryCatch(survreg(s ~ 1, dist = law, control = control), error = function(e) NULL, warning = function(w) NULL)
  e <- fit("exponential"); w <- fit("weibull")
  if (is.null(e) || is.null(w) || w$scale < 1e-3 || w$scale > 1e3) next
  x <- 2 * (w$loglik[1] - e$loglik[1])
  out <- list(left = left, right = right, shape = 1 / w$scale, statistic = x, p_value = pchisq(x, 1, lower.tail = FALSE))
  # The rate's profile interval, from the likelihood written out: exp(-rate * left) - exp(-rate * right).
  level <- one_of(c(0.95, 0.8, 0.99))
  at <- function(u) { r <- exp(u); l <- ifelse(is.na(left), 0, left)
    sum(ifelse(is.na(right), -r * l, ifelse(l == right, log(r) - r * right, -r * l + log(-expm1(-r * (right - l)))))) }
  top <- -coef(e)[[1]]; target <- at(top) - qchisq(level, 1) / 2
  edge <- function(direction) { step <- 0.5; while (at(top + direction * step) > target) { step <- 2 * step; if (step > 500) return(NA) }
    uniroot(function(u) at(u) - target, sort(c(top, top + direction * step)), tol = 1e-13)$root }
  out$level <- level; out$rate <- exp(top); out$rate_interval <- na(exp(c(edge(-1), edge(1))))
  shapes <- c(shapes, list(out))
}

versions <- list(R = paste(R.version$major, R.version$minor, sep = "."), survival = as.character(packageVersion("survival")))
part <- function(name, rows) paste0('"', name, '": [\n',
  paste(vapply(rows, toJSON, "", digits = I(17), auto_unbox = TRUE, na = "null", null = "null"), collapse = ",\n"), "\n]")
writeLines(paste0('{"versions": ', toJSON(versions, auto_unbox = TRUE), ",\n", paste(part("stratified", stratified),
  part("means", means), part("quantiles", quantiles), part("shapes", shapes), sep = ",\n"), "}"),
  file.path(here, "golden", "survival_contrasts.json"))
