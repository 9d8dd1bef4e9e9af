//! Scenarios that would keep a machine busy for ever: the page goes on answering and says how the run ended.

use crate::page::{Page, with_page};
use crate::scene::{SCENARIO, TEXT, link_of};

/// The page says that the run was cut or, as long as it is still being made, how far it got.
const SAYS_SO: &str = "/The run (was cut|goes on)/.test(document.querySelector('.verdict').innerText)";

/// Never asks anybody for anything.
const LOOP: &str = "\
scenario endless-loop

service Spinner
  start
    n = 0
    repeat
      n = n + 1
";

/// One message that is handed out again for ever.
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

/// As many processes as a text may have.
const CROWD: &str = "\
scenario endless-crowd

broker rabbit
  queue greetings

service Greeter x1000
  every 1s
    publish greetings (id = self)
";

/// Clicks Help and waits for it.
async fn answers(page: &Page) {
    page.click("button[aria-label=Help]").await;
    page.becomes("document.querySelector('dialog[open]') !== null", true)
        .await;
    page.keys(&["Escape"]).await;
}

fn keeps_answering(text: &str, id: &str) {
    with_page(async |page| {
        page.open("").await;
        page.paste(text).await;
        answers(page).await;
        page.becomes(SCENARIO, id).await;
        page.becomes(SAYS_SO, true).await;
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
        page.becomes(SAYS_SO, true).await;
    });
}

#[test]
fn a_loop_without_requests() {
    keeps_answering(LOOP, "endless-loop");
}

#[test]
fn a_message_that_always_comes_back() {
    keeps_answering(POISON, "endless-poison");
}

#[test]
fn a_crowd_of_processes() {
    keeps_answering(CROWD, "endless-crowd");
}
