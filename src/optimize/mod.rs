//! Optimisation problems with exact solvers behind them.

pub mod assignment;
pub mod simplex;
pub mod milp;
pub mod subsystem;
