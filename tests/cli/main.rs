//! The program as users call it.
