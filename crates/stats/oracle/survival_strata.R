# The stratified log-rank test and the stratified Cox model: expected values of the tests in
# crates/analysis/src/stat/survival/stratified_log_rank.rs and hazard_ratio.rs.
library(survival)
d <- data.frame(
  time = c(14, 33, 165, 169, 280, 300, 300, 3, 5, 8, 40, 90, 120,
           0.5, 1.5, 2, 2, 4, 4, 0.2, 0.4, 0.4, 1.5, 4),
  event = c(1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0,
            1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0),
  test = c(rep(0, 7), rep(1, 6), rep(0, 6), rep(1, 5)),
  stratum = c(rep("a", 13), rep("b", 11)))
options(digits = 12)
print(R.version.string); print(packageVersion("survival"))
s <- survdiff(Surv(time, event) ~ test + strata(stratum), d)
print(c(chisq = s$chisq, p = pchisq(s$chisq, 1, lower.tail = FALSE)))
m <- coxph(Surv(time, event) ~ test + strata(stratum), d, ties = "efron")
print(c(hr = exp(coef(m)), se = sqrt(vcov(m)), lrt = 2 * diff(m$loglik)))
