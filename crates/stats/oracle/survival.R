# Golden values of survival statistics from R's survival package.
#
#   Rscript survival.R > survival_r.json      (Debian: r-base-core r-cran-survival r-cran-jsonlite)
#
# Times are compared as they are: R's merging of times that differ by less than 1.5e-8 is off.

suppressMessages({ library(survival); library(jsonlite) })
RNGkind("Mersenne-Twister"); set.seed(20250711)
tight <- survreg.control(rel.tolerance = 1e-13, maxiter = 500, toler.chol = 1e-12)

one_of <- function(x) x[sample.int(length(x), 1)]

# n times from one of several laws, in one of several units, with ties or without.
draw <- function(n, unit) {
  law <- one_of(c("exponential", "weibull", "log-normal", "grid"))
  t <- switch(law,
    exponential = rexp(n), weibull = rweibull(n, one_of(c(0.3, 0.8, 2, 6))),
    `log-normal` = rlnorm(n, 0, one_of(c(0.2, 1, 3))), grid = sample.int(6, n, replace = TRUE))
  signif(t, 5) * unit
}

censor <- function(t) { d <- cut_off(t); d$time <- signif(d$time, 6); d }
cut_off <- function(t) {
  how <- one_of(c("none", "fixed", "random", "random", "all but one", "all"))
  n <- length(t)
  switch(how,
    none = list(time = t, event = rep(1, n)),
    fixed = { end <- signif(quantile(t, one_of(c(0.3, 0.7, 0.95)), names = FALSE), 4)
              list(time = pmin(t, end), event = as.numeric(t <= end)) },
    random = { end <- signif(rexp(n) * median(t) * 1.5, 5)
               list(time = pmin(t, end), event = as.numeric(t <= end)) },
    `all but one` = { e <- rep(0, n); e[sample.int(n, 1)] <- 1; list(time = t, event = e) },
    all = list(time = t, event = rep(0, n)))
}

na <- function(x) { x <- unname(as.numeric(x)); x[!is.finite(x)] <- NA; x }

single <- function(time, event) {
  level <- one_of(c(0.8, 0.95, 0.95, 0.99))
  s <- Surv(time, event)
  out <- list(time = time, event = event, level = level)
  for (type in c("plain", "log", "log-log")) {
    f <- survfit(s ~ 1, conf.type = type, conf.int = level, timefix = FALSE)
    if (type == "plain")
      out$curve <- list(time = f$time, at_risk = f$n.risk, events = f$n.event,
                        censored = f$n.censor, survival = f$surv)
    table <- summary(f)$table
    out$bands[[type]] <- list(low = na(f$lower), high = na(f$upper),
                              median = na(table[c("median", grep("LCL|UCL", names(table), value = TRUE))]))
  }
  f <- survfit(s ~ 1, timefix = FALSE)
  for (tau in unique(signif(max(time) * c(1, 0.6), 4))) if (tau > min(time) && tau <= max(time)) {
    table <- summary(f, rmean = tau)$table
    out$rmst <- c(out$rmst, list(c(tau, table[["rmean"]], table[["se(rmean)"]])))
  }
  seen <- time[event == 1]
  fits <- length(seen) > 0 && all(time > 0) &&
    (length(unique(seen)) > 1 || any(time[event == 0] > max(seen)))
  if (fits) out$fits <- fit_laws(s)
  out
}

# survreg's Newton steps run away on some of these data, so it starts from the best scale of a grid;
# a maximum at the end of the grid is none.
fit_laws <- function(s) {
  fits <- list()
  try_fit <- function(...) tryCatch(suppressWarnings(survreg(s ~ 1, ..., control = tight)),
                                    error = function(e) NULL)
  for (law in c("exponential", "weibull", "lognormal")) {
    if (law == "exponential") {
      f <- try_fit(dist = law)
    } else {
      at <- function(log_scale) {
        g <- try_fit(dist = law, scale = exp(log_scale))
        if (is.null(g) || !is.finite(g$loglik[1])) -Inf else g$loglik[1]
      }
      grid <- seq(-9, 5, by = 0.25)
      values <- sapply(grid, at)
      best <- max(which(values >= max(values) - 1e-7))
      if (best == length(grid) || all(values[1:best] >= max(values) - 1e-7 | values[1:best] == -Inf)) {
        fits[[law]] <- "none"
        next
      }
      scale <- exp(optimize(at, grid[c(best - 1, best + 1)], maximum = TRUE, tol = 1e-9)$maximum)
      g <- try_fit(dist = law, scale = scale)
      f <- try_fit(dist = law, init = c(coef(g), log(scale)))
      if (is.null(f) || !isTRUE(f$loglik[1] >= max(values) - 1e-9)) f <- NULL
    }
    if (!is.null(f) && is.finite(f$loglik[1])) fits[[law]] <- na(c(coef(f), f$scale, f$loglik[1]))
  }
  fits
}

profile_bound <- function(s, x, target, from, direction) {
  at <- function(b) coxph(s ~ offset(b * x), ties = "efron",
                                   control = coxph.control(timefix = FALSE))$loglik[1] - target
  step <- 0.5
  while (at(from + direction * step) > 0) { step <- step * 2; if (step > 64) return(NA) }
  uniroot(at, sort(c(from, from + direction * step)), tol = 1e-13, maxiter = 1000)$root
}

grouped <- function(time, event, group) {
  s <- Surv(time, event)
  out <- list(time = time, event = event, group = group)
  # survdiff of survival 3.5 takes no timefix, so it gets the ranks of the times: no two are near.
  ranked <- Surv(match(time, sort(unique(time))), event)
  for (rho in c(0, 1, 0.5)) {
    # It refuses data without a single event.
    d <- if (sum(event) > 0) survdiff(ranked ~ group, rho = rho)
    if (!is.null(d)) {
      df <- sum(d$exp > 0) - 1
      out$tests <- c(out$tests, list(list(rho = rho, observed = na(d$obs), expected = na(d$exp),
        chisq = na(d$chisq), p = na(pchisq(d$chisq, df, lower.tail = FALSE)), df = df)))
    }
  }
  if (length(unique(group)) == 2) {
    x <- as.numeric(group == max(group))
    f <- suppressWarnings(coxph(s ~ x, ties = "efron",
           control = coxph.control(timefix = FALSE, eps = 1e-13, toler.chol = 1e-14, iter.max = 200)))
    infinite <- sum(event) == 0 || !is.finite(coef(f)) || abs(coef(f)) > 12
    half <- qchisq(0.95, 1) / 2
    out$cox <- list(infinite = infinite, loglik = na(f$loglik))
    if (!infinite) {
      b <- coef(f)[[1]]
      out$cox$log_ratio <- b
      out$cox$se <- sqrt(f$var[1, 1])
      out$cox$profile <- na(exp(c(profile_bound(s, x, f$loglik[2] - half, b, -1),
                                  profile_bound(s, x, f$loglik[2] - half, b, 1))))
    }
    tau <- min(tapply(time, group, max))
    out$until <- tau
    if (all(tau > tapply(time, group, min))) out$rmst <- unname(lapply(split(data.frame(time, event), group), function(g)
      na(summary(survfit(Surv(time, event) ~ 1, data = g, timefix = FALSE), rmean = tau)$table[c("rmean", "se(rmean)")])))
  }
  out
}

# The log-likelihood at this scale, maximised over the location.
best_at <- function(law, left, right, near, scale) {
  cdf <- if (law == "weibull") function(z) -expm1(-exp(z)) else pnorm
  a <- ifelse(is.na(left), -Inf, log(left)); b <- ifelse(is.na(right), Inf, log(right))
  log_density <- if (law == "weibull") function(z) z - exp(z) else function(z) dnorm(z, log = TRUE)
  exact <- is.finite(a) & a == b
  at <- function(mu) sum(ifelse(exact, log_density((b - mu) / scale) - log(scale) - b,
    log(cdf((b - mu) / scale) - cdf((a - mu) / scale))))
  tries <- near + scale * seq(-8, 8, by = 0.05)
  tries <- c(tries, c(a, b)[is.finite(c(a, b))])
  best <- tries[which.max(sapply(tries, at))]
  optimize(at, best + scale * c(-0.1, 0.1), maximum = TRUE, tol = 1e-12)$objective
}

looked <- function(n, unit) {
  t <- draw(n, 1)
  left <- right <- numeric(n)
  for (i in 1:n) {
    looks <- if (one_of(c(TRUE, FALSE))) cumsum(signif(rexp(8), 4)) else seq(0.5, 4, by = 0.5)
    before <- looks[looks < t[i]]; after <- looks[looks >= t[i]]
    left[i] <- if (length(before)) max(before) else NA
    right[i] <- if (length(after)) min(after) else NA
    if (is.na(left[i]) && is.na(right[i])) right[i] <- 1
    if (runif(1) < 0.15 && t[i] > 0) left[i] <- right[i] <- t[i]
  }
  left <- signif(left * unit, 6); right <- signif(right * unit, 6)
  fits <- fit_laws(Surv(left, right, type = "interval2"))
  for (law in c("weibull", "lognormal")) {
    f <- fits[[law]]
    # Where the likelihood only flattens as the scale shrinks, survreg stops somewhere on the flat.
    if (is.numeric(f) && all(is.finite(f)) &&
        (f[2] < 1e-4 || isTRUE(best_at(law, left, right, f[1], f[2] / 3) >= f[3] - 1e-7))) fits[[law]] <- "none"
  }
  list(left = left, right = right, fits = fits)
}

singles <- list(single(c(14, 33, 165, 169, 280, 300, 300), c(1, 1, 1, 1, 1, 1, 0)),
                single(5, 1), single(5, 0), single(c(2, 2, 2), c(1, 1, 1)),
                single(c(1, 2, 3, 4), c(1, 1, 1, 1)), single(c(1, 9), c(1, 0)))
for (i in 1:150) {
  d <- censor(draw(one_of(c(1, 2, 3, 5, 7, 10, 24, 60)), one_of(c(1, 1, 1e-6, 1e7))))
  singles <- c(singles, list(single(d$time, d$event)))
}
groups <- list()
for (i in 1:130) {
  k <- one_of(c(2, 2, 2, 3, 4)); parts <- list()
  for (g in 1:k) {
    d <- censor(draw(one_of(c(1, 3, 6, 8, 24, 40)), one_of(c(1, 1, 2))))
    parts[[g]] <- data.frame(time = d$time, event = d$event, group = g)
  }
  d <- do.call(rbind, parts)
  groups <- c(groups, list(grouped(d$time, d$event, d$group)))
}
looks <- lapply(1:90, function(i) looked(one_of(c(3, 6, 12, 30, 80)), one_of(c(1, 1e-3, 1e5))))

cat(toJSON(list(
  versions = list(R = R.version.string, survival = as.character(packageVersion("survival"))),
  singles = singles, groups = groups, looks = looks),
  digits = I(17), auto_unbox = FALSE, na = "null", null = "null"), "\n")
