//! Crashpoint: what a design of database, broker and services delivers when a party dies.
#![forbid(unsafe_code)]
