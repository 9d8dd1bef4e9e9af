//! Each test is a small script: sessions 1, 2, 3 send statements, and the answers are written as short text.

mod isolation;
mod support;
