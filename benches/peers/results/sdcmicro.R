# What sdcMicro does: Rscript sdcmicro.R JOB FILES... prints JSON: its seconds, and its answer.
#
# Reading by data.table (two threads) and writing are in the seconds of jobs that mask; starting R
# and loading packages are not. SDCMICRO_LIBRARY names a library of R packages that has sdcMicro.
folder <- Sys.getenv("SDCMICRO_LIBRARY")
if (nzchar(folder)) .libPaths(c(folder, .libPaths()))
suppressPackageStartupMessages({library(sdcMicro); library(data.table)})
threads <- as.integer(Sys.getenv("OMP_NUM_THREADS"))
setDTthreads(threads)

read <- function(path, text = FALSE) as.data.frame(fread(path, stringsAsFactors = text))
mask <- function(work, text = FALSE) function(from, to) {
  seconds <- system.time({
    masked <- work(read(from, text))
    fwrite(as.data.frame(masked), to, na = "")
  })[["elapsed"]]
  list(seconds, "")
}
measure <- function(work, answer) function(...) {
  seconds <- system.time(found <- work(...))[["elapsed"]]
  list(seconds, answer(found))
}
figures <- function(...) {
  of <- list(...)
  paste(sprintf('"%s": %.17g', names(of), unlist(of)), collapse = ", ")
}

codes <- function(path) {
  table <- read(path, text = TRUE)
  as.data.frame(lapply(table, as.integer))
}

jobs <- list(
  # P is called a percentage, and taken for a share.
  rankswap = mask(function(x) rankSwap(x, TopPercent = 0, BottomPercent = 0, P = 0.02)),
  mdav = mask(function(x) sdcMicro:::mdav(x, variables = paste0("X", 1:6), K = 3)),
  noise = mask(function(x) round(addNoise(x, noise = 100 * sqrt(0.1), method = "additive")$xm)),
  pram = mask(function(x) {
    found <- pram(x, variables = names(x), pd = 0.8, alpha = 1)
    setNames(as.data.frame(unclass(found))[paste0(names(x), "_pram")], names(x))
  }, text = TRUE),
  suppress = mask(function(x) localSuppression(x, k = 3, keyVars = names(x))$xAnon, text = TRUE),
  loss = measure(
    function(original, masked) {
      x <- read(original)
      dUtility(x, read(masked), method = "IL1s") / prod(dim(x))
    },
    function(found) figures(il1s = found)
  ),
  risk = measure(
    function(path) {
      x <- read(path, text = TRUE)
      measure_risk(x, keyVars = names(x))$Res[, "fk"]
    },
    function(fk) figures(unique = sum(fk == 1), below_k_3 = sum(fk < 3))
  ),
  uniques = measure(
    function(path) suda2(codes(path), DisFraction = 0.01, original_scores = TRUE),
    function(found) figures(suda_records = sum(found$score > 0))
  ),
  linkage = measure(
    function(original, masked) {
      x <- read(original)
      recordLinkage(x, read(masked), vars = names(x), distance = "gower")
    },
    function(found) figures(
      cost = found$total_distance, correct = found$correct_matches
    )
  )
)

arguments <- commandArgs(trailingOnly = TRUE)
found <- do.call(jobs[[arguments[1]]], as.list(arguments[-1]))
cat(sprintf('\n{"seconds": %.17g, "answer": {%s}, "version": "sdcMicro %s, R %s"}\n',
            found[[1]], found[[2]], packageVersion("sdcMicro"), getRversion()))
