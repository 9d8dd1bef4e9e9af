//! What holds for every file under `src/scenarios/`.

use crate::finished::{run, scenario};
use crashpoint::program::{Kind, Scenario};
use crashpoint::scenarios;

/// Each preset with its parsed text.
fn each(mut check: impl FnMut(&str, Scenario)) {
    assert!(!scenarios::all().is_empty(), "there are presets");
    for preset in scenarios::all() {
        check(preset.id, scenario(preset.id));
    }
}

#[test]
fn the_stories_and_reported_failures_are_all_there() {
    let folder = |id: &str| scenarios::find(id).map(|preset| preset.folder);
    let stories = [
        (
            "outbox",
            "O1 O2 O3 O3-crash O4 O5 O6 O7 O8 O9 O9-keep O10 O11 O11-wait O11-skip O12 O12-crash O13 O14 O14-back O15 O16",
        ),
        (
            "inbox",
            "I1 I1-idempotent I1-business I1-files I1-handed-on I1-broker I1-broker-edge I2 I3 I4 I5 I5-other I6 I6-index I7 I7-ok I8 I8-long \
             I8-keep I9 I9-id I9-key I10 I10-key I10-outbox I11 I12 I13 I13-lease I13-fence I14 I14-limit I14-redrive I15",
        ),
        (
            "channel",
            "P1 P2 P3 P4 P4-key P5 P6 P6-dies P6-never P7 P7-ok P8 P9 P9-partitions P10 P10-two P10-four P11 P12 P12-topic P13 P13-repeat \
             P13-queue P14 P14-accepted",
        ),
        (
            "software",
            "debezium spring-modulith masstransit nservicebus wolverine eventuate-tram camel",
        ),
    ];
    for (name, ids) in stories {
        for id in ids.split_whitespace() {
            assert_eq!(folder(id), Some(name), "{id}");
        }
    }
    let reported = [
        1, 2, 3, 4, 6, 8, 9, 10, 11, 13, 14, 15, 16, 20, 21, 22, 25, 27, 28, 29, 31, 32, 33, 35, 37, 39, 40, 41, 42,
        44, 45, 47, 49, 50, 51, 53, 55, 56, 58, 59, 60, 61, 62,
    ];
    for number in reported {
        for id in [format!("C{number:02}"), format!("C{number:02}-ok")] {
            assert_eq!(folder(&id), Some("reported"), "{id}");
        }
    }
}

#[test]
fn a_file_is_named_after_its_scenario() {
    each(|id, scenario| assert_eq!(&*scenario.id, id));
}

#[test]
fn title_and_about_are_there_in_both_languages() {
    each(|id, scenario| {
        for (what, texts) in [("title", &scenario.title), ("about", &scenario.about)] {
            let languages: Vec<&str> = texts.iter().map(|(language, _)| &**language).collect();
            assert_eq!(languages, ["en", "de"], "{what} of {id}");
            assert!(texts.iter().all(|(_, text)| !text.is_empty()), "{what} of {id}");
        }
    });
}

#[test]
fn sentences_come_in_both_languages() {
    each(|id, scenario| {
        for promise in &scenario.promises {
            let in_language = |code: &str| {
                let sentences = promise.sentences.iter().filter(|sentence| &*sentence.language == code);
                sentences.map(|sentence| sentence.kind).collect::<Vec<Option<Kind>>>()
            };
            assert_eq!(in_language("en"), in_language("de"), "{id}, line {}", promise.line);
        }
    });
}

#[test]
fn variants_exist_and_name_each_other() {
    each(|id, from| {
        for variant in &from.variants {
            assert_ne!(&**variant, id, "{id} is no variant of itself");
            let back = scenario(variant).variants;
            assert!(
                back.iter().any(|name| &**name == id),
                "{id} names {variant}, which does not name it"
            );
        }
    });
}

#[test]
fn the_designs_of_the_first_page_are_one_step_apart() {
    let designs = ["O1", "O3", "O5", "O6", "O10"];
    for id in designs {
        let variants = scenario(id).variants;
        for other in designs.iter().filter(|other| **other != id) {
            assert!(variants.iter().any(|name| &**name == *other), "{id} lacks {other}");
        }
    }
}

#[test]
fn what_retells_somebody_elses_software_says_whose_and_where_it_is_written() {
    const PATTERNS: [&str; 4] = ["write side", "outbox relay", "inbox", "queue"];
    each(|id, scenario| {
        let folder = scenarios::find(id).map(|preset| preset.folder);
        let retold = matches!(folder, Some("reported" | "software"));
        assert_eq!(!scenario.reports.is_empty(), retold, "reports of {id}");
        assert_eq!(scenario.system.is_some(), retold, "system of {id}");
        assert_eq!(scenario.pattern.is_some(), retold, "pattern of {id}");
        let known = scenario.pattern.iter().all(|pattern| PATTERNS.contains(&&**pattern));
        assert!(known, "pattern of {id}");
    });
}

#[test]
fn every_run_ends_exactly_as_its_text_expects() {
    each(|id, _| run(id).check_expected());
}

#[test]
fn every_stated_fault_strikes() {
    each(|id, _| {
        let finished = run(id);
        for (line, struck) in finished.scenario.faults.iter().zip(&finished.trace.struck) {
            assert!(struck.is_some(), "{id}, line {}: not reached", line.line);
        }
    });
}
