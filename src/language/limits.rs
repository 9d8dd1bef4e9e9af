//! Bounds on what a text may ask for, so that no text freezes or exhausts its reader.

/// Bytes of a text.
pub const TEXT_MAX: usize = 256 * 1024;
/// Diagnostics of one text; who has more has opened something else.
pub const DIAGNOSTICS_MAX: usize = 200;
/// Instances of all services together.
pub const INSTANCES_MAX: u32 = 1_000;
/// Instructions of one service. Handlers called within their service are copied in, so a short text can ask for much.
pub const INSTRUCTIONS_MAX: usize = 20_000;
/// Levels that blocks nest within one trigger, on one line or many, called handlers included.
pub const BLOCK_LEVELS_MAX: usize = 64;
/// Tables of a database, queues, variables and other things that are numbered in 16 bits.
pub const NAMES_MAX: usize = 4_096;
/// Messages that a receiver may fetch before it works on them.
pub const PREFETCH_MAX: u32 = 10_000;

/// Partitions of one queue.
pub const PARTITIONS_MAX: i64 = 64;
