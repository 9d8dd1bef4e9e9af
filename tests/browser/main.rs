//! The page in a real browser: `make browser`, or with the tools at hand
//! `trunk build && cargo test --features browser --test browser`.
//!
//! Each test gets a Chromium of its own with a fresh profile, so tests share nothing but the built page in `dist` and run
//! side by side. A test is an async closure over a [`page::Page`]:
//!
//! ```ignore
//! #[test]
//! fn has_a_title() {
//!     with_page(async |page| {
//!         page.open("").await;
//!         assert_eq!(page.text("h1").await, "Crashpoint");
//!     });
//! }
//! ```
//!
//! Nothing waits for a fixed time: `page.wait_until("a JavaScript expression")` asks until it holds.
//!
//! | variable | meaning |
//! |---|---|
//! | `CRASHPOINT_SHOTS` | folder for pictures: of each failed test, and those that tests take with `page.screenshot("name")` |
//! | `CRASHPOINT_SCENARIOS`, `CRASHPOINT_LANGUAGE` | what the pictures of the test `shots` show, see there |
//! | `CRASHPOINT_DIST` | the built page, `dist` otherwise |
//! | `CHROME`, `CHROMEDRIVER` | the browser and its driver, looked up on the PATH otherwise |

// The clock and the threads here wait for a browser; the engine's rule against them does not reach this far.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

mod chromium;
mod gestures;
mod page;
mod scene;
mod server;

mod accessibility;
mod brokers;
mod challenges;
mod designs;
mod dragging;
mod editing;
mod endless;
mod finder;
mod first_look;
mod harness;
mod keyboard;
mod layout;
mod links;
mod markers;
mod play_head;
mod preferences;
mod shots;
mod start;
