//! The kernel: runs a program in virtual time under faults, deterministically, and keeps the trace.
//!
//! Knows no pattern, no verdict, no browser. A run never fails: errors are outcomes in the trace.

pub mod trace;
