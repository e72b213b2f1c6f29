# Values from R itself. Usage: Rscript reference.R; writes golden/reference_fisher.csv, reference_strata.csv and
# reference_adjusted.csv. Sides: 1 base, 2 test; odds ratios are test against base. R's uniroot stops at
# 1.2e-4 in its estimates and bounds, so those are compared loosely; its p-values are exact.
options(digits = 17)
set.seed(3)
head_of <- function(file) cat("#", R.version.string, "\n", file = file)
put <- function(rows, file) {
  head_of(file)
  suppressWarnings(write.table(rows, file, sep = ",", quote = FALSE, row.names = FALSE, na = "", append = TRUE))
}

rows <- do.call(rbind, lapply(1:250, function(i) {
  most <- sample(c(5, 30, 300, 5000), 1)
  n1 <- sample(most, 1); n2 <- sample(most, 1)
  p <- sample(c(0, 0.02, 0.3, 0.5, 0.9, 1), 2, replace = TRUE)
  k1 <- rbinom(1, n1, p[1]); k2 <- rbinom(1, n2, p[2])
  m <- matrix(c(k2, n2 - k2, k1, n1 - k1), 2, byrow = TRUE)
  two <- fisher.test(m)
  data.frame(k1 = k1, n1 = n1, k2 = k2, n2 = n2, two_sided = two$p.value,
    less = fisher.test(m, alternative = "less")$p.value,
    greater = fisher.test(m, alternative = "greater")$p.value,
    odds_ratio = unname(two$estimate), low = two$conf.int[1], high = two$conf.int[2])
}))
put(rows, "golden/reference_fisher.csv")

tables <- list()
for (i in 1:60) {
  s <- sample(2:6, 1)
  most <- sample(c(4, 20, 80), 1)
  tables[[i]] <- lapply(1:s, function(j) {
    n1 <- sample(most, 1); n2 <- sample(most, 1)
    p <- runif(2, 0.05, 0.9)
    c(rbinom(1, n1, p[1]), n1, rbinom(1, n2, p[2]), n2)
  })
}
rows <- do.call(rbind, lapply(tables, function(t) {
  a <- array(unlist(lapply(t, function(v) c(v[3], v[1], v[4] - v[3], v[2] - v[1]))), c(2, 2, length(t)))
  plain <- mantelhaen.test(a, correct = FALSE)
  exact <- tryCatch(mantelhaen.test(a, exact = TRUE)$p.value, error = function(e) NA)
  data.frame(strata = paste(sapply(t, paste, collapse = " "), collapse = ";"),
    cmh = unname(plain$statistic), cmh_p = plain$p.value, odds_ratio = unname(plain$estimate),
    low = plain$conf.int[1], high = plain$conf.int[2], exact_p = exact)
}))
put(rows, "golden/reference_strata.csv")

rows <- do.call(rbind, lapply(1:40, function(i) {
  p <- sample(c(runif(sample(0:9, 1) + 1) ^ 3, sample(c(0, 0.01, 0.01, 0.05, 1), 2)))
  data.frame(set = i, p = p, holm = p.adjust(p, "holm"), bh = p.adjust(p, "BH"))
}))
put(rows, "golden/reference_adjusted.csv")
