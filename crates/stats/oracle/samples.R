# Hodges-Lehmann by wilcox.test, exact tests with ties by coin, for samples.py.
# Usage: Rscript samples.R INPUT.json OUTPUT.json
suppressMessages({ library(coin); library(jsonlite) })
files <- commandArgs(trailingOnly = TRUE)
cases <- fromJSON(files[1], simplifyVector = FALSE)
results <- lapply(cases, function(case) {
  a <- unlist(case$a); b <- unlist(case$b)
  out <- list(hodges_lehmann = median(outer(a, b, "-")))
  tied <- anyDuplicated(c(a, b)) > 0
  # R computes exact bounds only without ties and below 50 a side.
  if (!tied && max(length(a), length(b)) < 50) {
    test <- suppressWarnings(wilcox.test(a, b, conf.int = TRUE, exact = TRUE,
                                         conf.level = case$level))
    # R gives the widest interval where none reaches the level; there is none then.
    reached <- 2 * pwilcox(0, length(a), length(b)) <= 1 - case$level + 1e-12
    out$interval <- if (reached) as.numeric(test$conf.int) else c(NA, NA)
    out$u <- unname(test$statistic); out$p_two_sided <- test$p.value
  }
  if (length(unique(c(a, b))) > 1 && length(a) + length(b) <= 60) {
    group <- factor(rep(c("a", "b"), c(length(a), length(b))))
    p <- function(alternative) as.numeric(pvalue(
      wilcox_test(c(a, b) ~ group, distribution = "exact", alternative = alternative)))
    out$permutation <- list(two_sided = p("two.sided"), less = p("less"), greater = p("greater"))
  }
  out
})
versions <- list(R = paste(R.version$major, R.version$minor, sep = "."),
                 coin = as.character(packageVersion("coin")))
write_json(list(versions = versions, results = results), files[2], digits = NA, auto_unbox = TRUE,
           na = "null", null = "null")
