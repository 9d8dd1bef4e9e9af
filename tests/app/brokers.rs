//! The product a broker is like: chosen in place, its rules and what it has no meaning for.

use super::*;
use crashpoint::app::view::Broker;
use crashpoint::language;
use crashpoint::program::profile::PROFILES;

fn set(model: &mut Model, profile: Option<&str>) -> Vec<Effect> {
    let message = Message::SetProfile {
        broker: "sqs".into(),
        profile: profile.map(Into::into),
    };
    update(model, message)
}

fn only(model: &Model) -> Broker {
    let brokers = view(model).brokers;
    assert_eq!(brokers.list.len(), 1);
    brokers.list[0].clone()
}

fn chosen(model: &Model) -> Vec<&'static str> {
    let choices = only(model).choices;
    let chosen = choices.iter().filter(|choice| choice.chosen);
    chosen.map(|choice| choice.label).collect()
}

#[test]
fn a_broker_that_is_no_product_offers_all_and_has_no_rules() {
    let model = preset("P5");
    let broker = only(&model);
    assert_eq!((&*broker.name, &*broker.label), ("sqs", "sqs is like"));
    assert_eq!(chosen(&model), ["no product"]);
    let offered: Vec<Option<&str>> = broker.choices.iter().map(|choice| choice.profile).collect();
    assert_eq!(offered.len(), 8, "none, and the seven products");
    assert!(offered.contains(&None) && offered.contains(&Some("rabbitmq")));
    assert!(broker.rules.is_empty() && broker.summary.is_empty());
    assert!(view(&model).brokers.notes.is_empty());
}

#[test]
fn another_product_is_an_edit_that_runs_again_and_is_undone_in_one_step() {
    let mut model = preset("P5");
    assert_eq!(worth(&model), Worth::Finding(Kind::Duplicate));
    let (before, could_undo) = (model.text.clone(), model.history.can_undo());
    let effects = set(&mut model, Some("rabbitmq"));
    assert_eq!(
        &*model.text,
        before.replace("broker sqs\n", "broker sqs like rabbitmq\n")
    );
    // RabbitMQ has no lease: the bank's 40 s are waited for.
    assert_eq!(worth(&model), Worth::Healthy);
    assert_eq!(chosen(&model), ["RabbitMQ"]);
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Announce(said) if said.starts_with("Healthy.")))
    );
    let shared = crashpoint::link::decode(&address(&effects)).expect("the page's own link");
    assert_eq!(shared.text, *model.text);

    let notes = view(&model).brokers.notes.clone();
    assert_eq!(notes.len(), 1, "{notes:?}");
    let lease = 1 + before
        .lines()
        .position(|line| line.contains("lease 30s"))
        .expect("a lease");
    assert_eq!(notes[0].line, format!("line {lease}"));
    assert!(
        notes[0].text.starts_with("`lease` has no effect on sqs (RabbitMQ)"),
        "{notes:?}"
    );
    assert_eq!(notes[0].page.host, "rabbitmq.com");

    update(&mut model, Message::Undo);
    assert_eq!((&model.text, model.history.can_undo()), (&before, could_undo));
    assert_eq!(worth(&model), Worth::Finding(Kind::Duplicate));
    assert_eq!(chosen(&model), ["no product"]);
}

#[test]
fn rules_are_sentences_with_pages_in_both_languages() {
    let mut model = preset("P5");
    for profile in PROFILES {
        set(&mut model, Some(profile.name));
        for language in [Language::En, Language::De] {
            update(&mut model, Message::SetLanguage(language));
            let broker = only(&model);
            assert!(broker.summary.contains(profile.product), "{}", broker.summary);
            assert_eq!(broker.rules.len(), profile.facts.len());
            let notes = view(&model).brokers.notes.clone();
            let pages = broker.rules.iter().map(|rule| rule.page);
            for page in pages.chain(notes.iter().map(|note| note.page)) {
                assert!(page.address.starts_with("https://") && page.address.contains(page.host));
            }
        }
    }
    set(&mut model, Some("rabbitmq"));
    let broker = only(&model);
    assert_eq!(
        (&*broker.label, &*broker.summary),
        ("sqs ist wie", "6 Regeln von RabbitMQ")
    );
    assert!(broker.rules.iter().any(|rule| rule.text.contains("Kanal")));
    assert_eq!(view(&model).brokers.notes[0].line, "Zeile 11");
}

#[test]
fn a_product_taken_away_leaves_the_text_as_it_was() {
    let mut model = preset("P5");
    let before = model.text.clone();
    set(&mut model, Some("kafka"));
    assert_ne!(model.text, before);
    set(&mut model, None);
    assert_eq!(model.text, before);
}

#[test]
fn a_text_with_errors_an_unknown_product_and_an_unknown_broker_change_nothing() {
    let mut model = preset("P5");
    let before = model.text.clone();
    assert_eq!(set(&mut model, Some("no-such-product")), []);
    let other = Message::SetProfile {
        broker: "kafka".into(),
        profile: Some("kafka".into()),
    };
    assert_eq!(update(&mut model, other), []);
    assert_eq!(model.text, before);
    assert!(!view(&model).brokers.locked);

    let wrong = format!("{before}promise\n");
    update(&mut model, Message::EditText(wrong.as_str().into()));
    assert!(view(&model).brokers.locked);
    assert_eq!(set(&mut model, Some("rabbitmq")), []);
    assert_eq!(&*model.text, wrong);
}

#[test]
fn every_preset_can_be_read_with_every_product() {
    for preset in crashpoint::scenarios::all() {
        let scenario = language::parse(preset.text).expect("a preset");
        for broker in &scenario.program.brokers {
            for profile in PROFILES {
                let text = language::edit::set_profile(preset.text, &broker.name, Some(profile.name));
                let read = language::parse(&text.expect("the broker's line"));
                assert!(read.is_ok(), "{} like {}: {read:?}", preset.id, profile.name);
            }
        }
    }
}

#[test]
fn what_a_product_cannot_do_is_noted_with_its_line_and_undo_is_the_way_back() {
    let mut model = preset("I14-redrive");
    let (before, broker) = (model.text.clone(), view(&model).brokers.list[0].name.clone());
    let profile = Some("kafka".into());
    update(&mut model, Message::SetProfile { broker, profile });
    let shown = view(&model);
    assert!(!shown.brokers.locked && !shown.verdict.outdated);
    let redrive = model
        .text
        .lines()
        .position(|line| line.contains(" redrive "))
        .expect("the line");
    let noted = model
        .played
        .scenario
        .notes
        .iter()
        .any(|note| note.line as usize == redrive + 1);
    assert!(noted, "{:?}", model.played.scenario.notes);
    update(&mut model, Message::Undo);
    assert_eq!(model.text, before);
}

#[test]
fn a_message_that_comes_again_after_an_acknowledgement_without_effect_is_still_drawn() {
    // 30 s of lease, 40 s at the bank: SQS says yes to each deletion with an old handle, and deletes nothing. The third
    // delivery finds the order in the register and deletes with its latest handle; only the second call is still on its way.
    let mut model = preset("P5");
    set(&mut model, Some("sqs"));
    let view = view(&model);
    let bars = &lane(&view, "payments").1.bars;
    assert_eq!(bars.len(), 1);
    let within = bars[0]
        .held
        .iter()
        .all(|(from, to)| bars[0].from <= *from && *to <= bars[0].to);
    assert!(within, "{:?}", bars[0]);
}
