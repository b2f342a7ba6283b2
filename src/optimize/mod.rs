//! Optimisation problems with exact solvers behind them.

pub mod assignment;
pub mod milp;
pub mod simplex;
pub mod subsystem;
