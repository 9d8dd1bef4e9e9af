//! Scenarios that would keep a machine busy for ever: the page goes on answering and says how the run ended.

use std::time::{Duration, Instant};

use crate::page::{Page, with_page};
use crate::scene::{SCENARIO, TEXT, link_of};

/// How long a reader waits for an answer to a click, whatever the page is computing.
const ANSWER: Duration = Duration::from_secs(2);

/// Never asks anybody for anything.
const LOOP: &str = "\
scenario endless-loop

service Spinner
  start
    n = 0
    repeat
      n = n + 1
";

/// Each polls for ever.
const CROWD: &str = "\
scenario endless-crowd

database shop
  table orders (id int primary key)

service Poller x10000 on shop
  every 1s
    rows = select id from orders
    insert into orders (id) values (length(self)) on conflict do nothing
";

/// Is delivered again as soon as it was refused.
const POISON: &str = "\
scenario endless-poison

broker rabbit
  queue events

service Shop
  at 0s
    publish events (id = 1)

service Consumer
  receive events as m
    nack m
";

/// Clicks Help and waits for it, and says how long that took.
async fn answers(page: &Page) {
    let clicked = Instant::now();
    page.click("button[aria-label=Help]").await;
    page.becomes("document.querySelector('dialog[open]') !== null", true)
        .await;
    let took = clicked.elapsed();
    assert!(took < ANSWER, "a click was answered after {took:?}");
    page.keys(&["Escape"]).await;
}

fn keeps_answering(text: &str, id: &str) {
    with_page(async |page| {
        page.open("").await;
        page.paste(text).await;
        answers(page).await;
        page.becomes(SCENARIO, id).await;
        page.wait_for_text(".verdict", "The run was cut").await;
        page.type_text("-").await;
        answers(page).await;
        page.keys(&["Backspace"]).await;
        page.press("Undo").await;
        page.becomes(SCENARIO, "O1").await;
    });
    with_page(async |page| {
        let link = link_of(text);
        page.open(&link).await;
        answers(page).await;
        page.becomes(TEXT, text).await;
        page.wait_for_text(".verdict", "The run was cut").await;
    });
}

#[test]
fn a_loop_without_requests() {
    keeps_answering(LOOP, "endless-loop");
}

#[test]
fn ten_thousand_instances() {
    keeps_answering(CROWD, "endless-crowd");
}

#[test]
fn a_poison_message() {
    keeps_answering(POISON, "endless-poison");
}
