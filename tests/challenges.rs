//! Each challenge can be solved, or its claim is right, by computation: no solution is stored, here neither.

use crashpoint::app::message::{Deed, Effect, Message, Preference};
use crashpoint::app::model::{Model, Start, Theme};
use crashpoint::app::view::{Challenge, Outcome};
use crashpoint::app::{open, update, view};
use crashpoint::challenges;
use crashpoint::language::edit;
use crashpoint::scenarios;
use crashpoint::words::Language;
use std::collections::BTreeMap;

/// The page with a challenge open, and what is remembered of earlier visits.
fn opened_with(id: &str, bests: &[(&str, u32)]) -> Model {
    let start = Start {
        language: Language::En,
        theme: Theme::System,
        fragment: String::new(),
        first_drag_done: true,
        bests: bests.iter().map(|(id, best)| ((*id).to_owned(), *best)).collect(),
    };
    let (mut model, _) = open(&start);
    let effects = update(&mut model, Message::OpenPreset(id.into()));
    finish(&mut model, effects);
    model
}

fn opened(id: &str) -> Model {
    opened_with(id, &[])
}

/// Sends a message and answers what it asks for until nothing is left to compute. All effects.
fn send(model: &mut Model, message: Message) -> Vec<Effect> {
    let effects = update(model, message);
    finish(model, effects)
}

fn act(model: &mut Model, deed: Deed) -> Vec<Effect> {
    send(model, Message::Challenge(deed))
}

fn finish(model: &mut Model, mut effects: Vec<Effect>) -> Vec<Effect> {
    let mut slices = 0;
    while effects.last() == Some(&Effect::TrySoon) {
        effects.pop();
        effects.extend(update(model, Message::Challenge(Deed::GoOn)));
        slices += 1;
        assert!(slices < 10_000, "it comes to an end");
    }
    effects
}

fn shown(model: &Model) -> Challenge {
    let challenge = view(model).challenge.expect("a challenge is open");
    (*challenge).clone()
}

fn index(challenge: &str, change: &str) -> usize {
    let changes = &challenges::find(challenge).expect("a challenge").changes;
    changes.iter().position(|other| other.id == change).expect("a change")
}

/// The line (from 1) that says this.
fn line(model: &Model, wanted: &str) -> u32 {
    let found = model.text.lines().position(|line| line.trim() == wanted);
    u32::try_from(found.expect("the line is there") + 1).expect("a small text")
}

/// Fault lines of the open text.
fn faults(model: &Model) -> Vec<String> {
    edit::fault_lines(&model.text)
        .iter()
        .map(|line| line.fault.to_string())
        .collect()
}

/// The changes of one's own side with which it survives, all subsets tried through the page.
fn ways(id: &str) -> Vec<Vec<&'static str>> {
    let challenge = challenges::find(id).expect("a challenge");
    let own: Vec<usize> = (0..challenge.changes.len())
        .filter(|index| challenge.changes[*index].help.is_none())
        .collect();
    let mut ways = Vec::new();
    for set in 0..1_u32 << own.len() {
        let mut model = opened(id);
        let mut chosen = Vec::new();
        for (_, index) in own.iter().enumerate().filter(|(place, _)| set & (1 << place) != 0) {
            act(&mut model, Deed::Toggle(*index));
            chosen.push(challenge.changes[*index].id);
        }
        let seen = shown(&model);
        let all_made = seen.choices.iter().filter(|choice| choice.made).count() == chosen.len();
        if all_made && seen.outcome == Outcome::Solved {
            ways.push(chosen);
        }
    }
    ways
}

/// Those whose answer is that it cannot be done alone.
const NOT_ALONE: [(&str, &str); 1] = [("silent-bank", "bank")];

#[test]
fn every_challenge_begins_broken_and_names_what_breaks_it() {
    for challenge in challenges::all() {
        let mut model = opened(challenge.id);
        let seen = shown(&model);
        assert_eq!(
            (seen.outcome, seen.count.as_str()),
            (Outcome::Broken, "0 changes"),
            "{}: {}",
            challenge.id,
            seen.status
        );
        assert_eq!(seen.best, "", "{}", challenge.id);
        assert!(
            scenarios::find(challenge.id).is_none(),
            "{} is a preset too",
            challenge.id
        );
        assert!(scenarios::find(challenge.from).is_some(), "{}", challenge.from);
        assert!(!view(&model).header.edited, "{}", challenge.id);
        // What is shown on the timeline breaks the run that is shown.
        act(&mut model, Deed::ShowBroken);
        assert!(faults(&model).len() <= challenge.faults_max);
        assert_ne!(view(&model).verdict.worth.slug(), "healthy", "{}", challenge.id);
    }
}

#[test]
fn every_challenge_but_one_can_be_solved_with_its_own_list() {
    for challenge in challenges::all() {
        let ways = ways(challenge.id);
        let alone = !NOT_ALONE.iter().any(|(id, _)| *id == challenge.id);
        println!("{}: {ways:?}", challenge.id);
        assert_eq!(!ways.is_empty(), alone, "{}: {ways:?}", challenge.id);
        if let Some(fewest) = ways.iter().map(Vec::len).min() {
            assert!(
                (1..challenge.changes.len()).contains(&fewest),
                "{}: {ways:?}",
                challenge.id
            );
        }
    }
}

#[test]
fn lines_moved_by_hand_solve_it_and_each_counts_once() {
    let mut model = opened("four-lines");
    let question = line(&model, "if not rows done");
    act(&mut model, Deed::Choose(question));
    act(&mut model, Deed::Move { up: true });
    assert_eq!(shown(&model).chosen, Some(question - 1));
    act(&mut model, Deed::Move { up: true });
    assert_eq!(shown(&model).count, "1 change");
    let publish = line(&model, "publish events (id = rows.id, body = rows.event)");
    act(&mut model, Deed::Choose(publish));
    let effects = act(&mut model, Deed::Move { up: true });
    let seen = shown(&model);
    assert_eq!(
        (seen.outcome, seen.status.as_str()),
        (Outcome::Solved, "Solved with 2 changes.")
    );
    assert_eq!(seen.best, "best: 2 changes");
    assert!(
        effects.contains(&Effect::Store(Preference::Best("four-lines", 2))),
        "{effects:?}"
    );
    // What the list calls a change is one, also if it was made by hand.
    let made: Vec<&str> = seen
        .choices
        .iter()
        .filter(|choice| choice.made)
        .map(|choice| choice.id)
        .collect();
    assert_eq!(made, ["question", "order"]);
    // All of it can be undone, step by step.
    for _ in 0..3 {
        send(&mut model, Message::Undo);
    }
    assert_eq!(*model.text, *challenges::find("four-lines").expect("it is there").text);
    assert_eq!(shown(&model).outcome, Outcome::Broken);
    assert_eq!(shown(&model).best, "best: 2 changes");
}

#[test]
fn a_typed_solution_is_as_good_as_one_from_the_list() {
    let mut model = opened("two-parcels");
    let text = model
        .text
        .replace(
            "order_id int not null)\nbroker",
            "order_id int not null unique)\nbroker",
        )
        .replace("' ', 2)::int)\n", "' ', 2)::int) on conflict do nothing\n");
    send(&mut model, Message::EditText(text.into()));
    let seen = shown(&model);
    assert_eq!(
        (seen.outcome, seen.status.as_str()),
        (Outcome::Solved, "Solved with 2 changes."),
        "{}",
        seen.detail
    );
    // A better one is remembered, a worse one is not.
    act(&mut model, Deed::Restart);
    act(&mut model, Deed::Toggle(index("two-parcels", "inbox")));
    assert_eq!(shown(&model).best, "best: 1 change");
    let text = model.text.replace("  every 10s", "  every 5s");
    let effects = send(&mut model, Message::EditText(text.into()));
    assert_eq!(
        (shown(&model).outcome, shown(&model).best.as_str()),
        (Outcome::Solved, "best: 1 change")
    );
    assert!(
        !effects.iter().any(|effect| matches!(effect, Effect::Store(_))),
        "{effects:?}"
    );
}

#[test]
fn the_counterexample_is_shown_in_place_of_the_markers_and_markers_are_not_judged() {
    let mut model = opened("faulty-line");
    let text = model
        .text
        .replace("promise at", "crash after Shop.begin.1 restart 5s\n\npromise at");
    send(&mut model, Message::EditText(text.into()));
    assert_eq!(shown(&model).count, "0 changes");
    act(&mut model, Deed::ShowBroken);
    assert_eq!(faults(&model), ["crash after Relay.mark.1 restart 5s"]);
    let seen = shown(&model);
    assert_eq!(seen.status, "Survives 7 of 8 crash points.");
    assert_eq!(
        seen.detail,
        "Still breaks: Relay crashes after mark, first time. ✗ Lost: Order 1003 is saved and its event was never sent and never will be."
    );
    act(&mut model, Deed::Toggle(index("faulty-line", "order")));
    assert_eq!(shown(&model).outcome, Outcome::Solved);
    assert_eq!(shown(&model).detail, "Survives all 8 crash points.");
}

#[test]
fn two_faults_are_shown_both() {
    let mut model = opened("closing-copy");
    let seen = shown(&model);
    assert_eq!(
        seen.status,
        "Survives each of 11 crash points; 2 crashes together it does not."
    );
    act(&mut model, Deed::ShowBroken);
    assert_eq!(faults(&model).len(), 2);
    assert_eq!(view(&model).verdict.worth.slug(), "lost");
}

#[test]
fn a_question_that_was_changed_is_refused_and_can_be_brought_back() {
    let mut model = opened("faulty-line");
    let text = model
        .text
        .replace("promise at least one", "promise at most one")
        .replace("every 10s", "every 9s");
    send(&mut model, Message::EditText(text.into()));
    let seen = shown(&model);
    assert_eq!((seen.outcome, seen.can_restore), (Outcome::Refused, true));
    let number = line(
        &model,
        "promise at most one rabbit.events for each shop.orders matching effect.id = 'evt-' || cause.id",
    );
    assert!(
        seen.status
            .starts_with(&format!("Line {number} changes the question: the promise")),
        "{}",
        seen.status
    );
    act(&mut model, Deed::RestoreQuestion);
    let seen = shown(&model);
    assert_eq!(
        (seen.outcome, seen.count.as_str(), seen.can_restore),
        (Outcome::Broken, "1 change", false)
    );
    assert!(model.text.contains("every 9s"));
}

#[test]
fn work_that_is_not_done_is_no_survival() {
    let mut model = opened("faulty-line");
    let text = model
        .text
        .replace("    insert into orders (id, total) values (:id, :total)\n", "");
    send(&mut model, Message::EditText(text.into()));
    let seen = shown(&model);
    assert_eq!(seen.outcome, Outcome::Refused);
    assert!(seen.status.starts_with("The work must be done"), "{}", seen.status);
}

#[test]
fn a_text_with_errors_is_not_judged_until_they_are_gone() {
    let mut model = opened("faulty-line");
    let text = model.text.replace("    commit\n", "    comit\n");
    send(&mut model, Message::EditText(text.into()));
    assert_eq!(
        (shown(&model).outcome, shown(&model).can_restore),
        (Outcome::Refused, false)
    );
    send(&mut model, Message::Undo);
    assert_eq!(shown(&model).outcome, Outcome::Broken);
}

#[test]
fn saying_whose_help_it_needs_is_right_only_where_it_needs_it() {
    for challenge in challenges::all() {
        let model = opened(challenge.id);
        let parties = shown(&model).parties;
        assert!(!parties.is_empty(), "{}", challenge.id);
        for party in parties {
            let mut model = model.clone();
            let effects = act(&mut model, Deed::Claim(party.clone()));
            let seen = shown(&model);
            let right = NOT_ALONE.contains(&(challenge.id, &*party));
            assert_eq!(seen.claim_right, right, "{} {party}: {}", challenge.id, seen.claim);
            let stored = Effect::Store(Preference::Best(challenge.id, 0));
            assert_eq!(effects.contains(&stored), right, "{} {party}", challenge.id);
            if NOT_ALONE.iter().any(|(id, _)| *id == challenge.id) {
                assert_eq!(
                    seen.claim.starts_with("No change of your own does it"),
                    !right,
                    "{}",
                    seen.claim
                );
            } else {
                assert_eq!(seen.claim, "There is a way with what you have.", "{}", challenge.id);
            }
        }
    }
}

#[test]
fn the_other_sides_change_is_refused_until_its_help_has_rightly_been_asked_for() {
    let mut model = opened("silent-bank");
    let key = index("silent-bank", "key");
    assert!(shown(&model).choices.iter().all(|choice| choice.index != key));
    act(&mut model, Deed::Toggle(key));
    let seen = shown(&model);
    assert_eq!(seen.outcome, Outcome::Refused, "{}", seen.status);
    act(&mut model, Deed::Claim("bank".into()));
    let seen = shown(&model);
    assert_eq!(
        (seen.outcome, seen.best.as_str()),
        (Outcome::Solved, "solved by saying whose help it needs")
    );
    assert!(seen.choices.iter().any(|choice| choice.index == key && choice.made));
    // And the next visit knows it.
    let model = opened_with("silent-bank", &[("silent-bank", 0)]);
    assert!(shown(&model).choices.iter().any(|choice| choice.index == key));
}

#[test]
fn a_challenge_comes_and_goes_with_its_text() {
    let mut model = opened("faulty-line");
    let link = model.link.to_string();
    send(&mut model, Message::OpenPreset("O6".into()));
    assert!(view(&model).challenge.is_none());
    send(&mut model, Message::Undo);
    assert_eq!(shown(&model).id, "faulty-line");
    send(&mut model, Message::OpenPreset("O6".into()));
    send(&mut model, Message::OpenLink(link.into()));
    assert_eq!(shown(&model).outcome, Outcome::Broken);
    // Typed edits are not thrown away unasked.
    let text = model.text.replace("every 10s", "every 9s");
    send(&mut model, Message::EditText(text.into()));
    send(&mut model, Message::OpenPreset("two-parcels".into()));
    assert_eq!(shown(&model).id, "faulty-line");
    let question = &view(&model).notices[0];
    assert!(question.text.contains("One order, two parcels"), "{}", question.text);
}

#[test]
fn a_change_that_no_longer_applies_says_which_line_it_misses() {
    let mut model = opened("faulty-line");
    let text = model.text.replace(
        "      publish events (id = row.id, body = row.event)\n",
        "      publish events (id = row.id)\n",
    );
    send(&mut model, Message::EditText(text.into()));
    let choice = shown(&model).choices[index("faulty-line", "order")].clone();
    assert!(
        choice
            .blocked
            .contains("publish events (id = row.id, body = row.event)"),
        "{}",
        choice.blocked
    );
    let before = model.text.clone();
    act(&mut model, Deed::Toggle(choice.index));
    assert_eq!(model.text, before);
}

#[test]
fn everything_is_said_in_german_too() {
    for challenge in challenges::all() {
        let mut model = opened(challenge.id);
        send(&mut model, Message::SetLanguage(Language::De));
        let seen = shown(&model);
        assert_eq!((seen.title, seen.task), (challenge.title.de, challenge.task.de));
        assert!(
            seen.status.starts_with("Bricht") || seen.status.starts_with("Übersteht"),
            "{}",
            seen.status
        );
    }
    let known: BTreeMap<&str, usize> = challenges::all()
        .iter()
        .map(|each| (each.id, each.changes.len()))
        .collect();
    assert_eq!(known.len(), challenges::all().len());
}
