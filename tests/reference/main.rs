//! Figures on the reference files of the literature; each test skips with a message where they are absent.
