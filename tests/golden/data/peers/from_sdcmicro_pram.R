# Invariant matrices of sdcMicro's post-randomisation: writes sdcmicro_pram.json.
#
#     Rscript from_sdcmicro_pram.R SDCMICRO > sdcmicro_pram.json
#
# SDCMICRO is the source folder of sdcMicro 5.8.1 (github.com/sdcTools/sdcMicro); R alone is needed, since only the function is taken that
# makes the matrix. It draws the probabilities of keeping between `pd` and 1, makes them invariant in two stages, and mixes the result with
# the identity by `alpha`: so the matrix before the first stage is drawn again here from the same seed.
arguments <- commandArgs(trailingOnly = TRUE)
source_of_pram <- parse(file.path(arguments[1], "R", "pram.R"))
is_work <- sapply(source_of_pram, function(e) is.call(e) && identical(e[[2]], as.name("pramWORK")))
work <- eval(source_of_pram[[which(is_work)]][[3]])
transitions <- eval(body(work)[[2]][[3]])

numbers <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
matrix_of <- function(m) paste0("[", paste(apply(m, 1, numbers), collapse = ", "), "]")
one <- function(counts, pd, alpha, seed) {
  levels <- letters[seq_along(counts)]
  x <- factor(rep(levels, counts), levels = levels)
  n <- length(counts)
  set.seed(seed)
  keep <- runif(n, min = pd, max = 1)
  first <- matrix((1 - keep) / (n - 1), n, n)
  diag(first) <- keep
  set.seed(seed)
  found <- transitions(x, pd, alpha)
  sprintf('  {"counts": %s, "alpha": %.17g, "first": %s, "matrix": %s}',
          numbers(counts), alpha, matrix_of(first), matrix_of(found))
}
cases <- c(
  one(c(3, 1), 0.8, 1, 1), one(c(500, 300, 200), 0.5, 1, 2), one(c(1, 1, 1, 997), 0.9, 1, 3), one(c(10, 20, 30, 40, 50), 0, 1, 4),
  one(c(7, 60, 133), 0.8, 0.5, 5), one(c(90, 9, 1), 0.25, 0.1, 6)
)
cat('{"tool": "sdcMicro", "version": "5.8.1", "R": "', as.character(getRversion()),
    '", "made_by": "from_sdcmicro_pram.R", "cases": [\n', paste(cases, collapse = ",\n"), "\n]}\n", sep = "")
