# One hazard ratio in all strata? golden/survival_homogeneity.json: the likelihood ratio of side * stratum
# against side in the stratified Cox model, ties by Efron, with anova.coxph's own answer where all of its
# coefficients are finite. Usage: Rscript survival_homogeneity.R     (survival, jsonlite)
suppressMessages({ library(survival); library(jsonlite) })
RNGkind("Mersenne-Twister"); set.seed(20261130)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
one_of <- function(x) x[sample.int(length(x), 1)]
tight <- coxph.control(timefix = FALSE, eps = 1e-13, toler.chol = 1e-14, iter.max = 200)

side <- function(n, rate, ties, test, stratum, rich) {
  if (n == 0) return(NULL)
  t <- signif(rexp(n, rate), 5)
  if (ties) t <- ceiling(t * 2) / 2
  end <- switch(one_of(if (rich) c("none", "fixed") else c("none", "fixed", "random", "random", "all")), none = Inf, fixed = 1.5,
                random = if (ties) ceiling(rexp(n) * 4) / 2 else signif(rexp(n) * 1.5, 5), all = 0)
  event <- if (identical(end, 0)) 0 else as.numeric(t <= end)
  data.frame(time = if (identical(end, 0)) t else pmin(t, end), event = event, test = test, stratum = stratum)
}

# Whether any event has both sides at risk: else the likelihood does not depend on the ratio.
informs <- function(s) any(vapply(s$time[s$event == 1], function(t) length(unique(s$test[s$time >= t])) == 2, NA))

cases <- list()
while (length(cases) < 120) {
  k <- one_of(c(1, 2, 2, 3, 3, 5)); ties <- runif(1) < 0.5
  same <- runif(1) < 0.4; rich <- runif(1) < 0.5
  d <- do.call(rbind, lapply(1:k, function(j) {
    n <- replicate(2, one_of(if (rich) c(6, 12, 25) else c(0, 1, 3, 8, 20)))
    rbind(side(n[1], 1, ties, 0, j, rich), side(n[2], if (same) 2 else one_of(c(0.3, 1, 4)), ties, 1, j, rich))
  }))
  if (is.null(d)) next
  # A stratum with an empty side tells nothing of a ratio.
  both <- names(which(tapply(d$test, d$stratum, function(x) length(unique(x))) == 2))
  strata <- split(d, d$stratum)
  out <- list(strata = unname(lapply(strata, function(s) list(
    base = list(time = I(s$time[s$test == 0]), event = I(s$event[s$test == 0])),
    test = list(time = I(s$time[s$test == 1]), event = I(s$event[s$test == 1]))))))
  telling <- Filter(informs, strata[both])
  out$informative <- length(telling)
  if (length(telling) >= 2) {
    e <- do.call(rbind, telling); e$stratum <- factor(e$stratum)
    m0 <- suppressWarnings(coxph(Surv(time, event) ~ test + strata(stratum), e, ties = "efron", control = tight))
    m1 <- suppressWarnings(coxph(Surv(time, event) ~ test * strata(stratum), e, ties = "efron", control = tight))
    x <- max(0, 2 * (m1$loglik[2] - m0$loglik[2]))
    df <- length(telling) - 1
    out$statistic <- x; out$df <- df; out$p_value <- pchisq(x, df, lower.tail = FALSE)
    if (all(is.finite(coef(m1))) && all(abs(coef(m1)) < 8)) {
      a <- anova(m0, m1)
      out$anova <- c(a$Chisq[2], a$Df[2], a[["Pr(>|Chi|)"]][2])
    }
  }
  cases <- c(cases, list(out))
}

versions <- list(R = paste(R.version$major, R.version$minor, sep = "."), survival = as.character(packageVersion("survival")))
writeLines(paste0('{"versions": ', toJSON(versions, auto_unbox = TRUE), ',\n"cases": [\n',
  paste(vapply(cases, toJSON, "", digits = I(17), auto_unbox = TRUE, na = "null", null = "null"), collapse = ",\n"), "\n]}"),
  file.path(here, "golden", "survival_homogeneity.json"))
