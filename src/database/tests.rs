//! Each test is a small script: sessions 1, 2, 3 send statements, and the answers are written as short text. The scripts about
//! waiting, errors and types were run against PostgreSQL 15 and gave the same answers there.

mod errors;
mod isolation;
mod lifecycle;
mod locks;
mod model;
mod prepared;
mod queries;
mod serial_order;
mod serializable;
mod snapshots;
mod stable_reads;
mod storing;
mod sub_selects;
mod support;
mod uniques;
