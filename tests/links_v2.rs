//! Links to comparisons: designs, faults and play head come back byte for byte, or the link is refused with a name for what
//! is wrong.
//!
//! Method as for format 1: presets of the test's own, a golden list by an independent encoder, and arbitrary input.
#![cfg(not(target_arch = "wasm32"))]

use crashpoint::link::{
    Compared, FRAGMENT_LIMIT, Link, LinkError, Position, Shared, TEXT_LIMIT, View, decode_among,
    encode_comparison_among, fault_lines, read_among,
};
use crashpoint::scenarios::Preset;
use crashpoint::words::Language;
use proptest::prelude::*;

const RELAY: Preset = Preset {
    id: "T5",
    folder: "test",
    text: include_str!("golden/link-presets/T5.crash"),
};
const NO_FAULTS: Preset = Preset {
    id: "T5-calm",
    folder: "test",
    text: include_str!("golden/link-presets/T5-calm.crash"),
};
const PRESETS: &[Preset] = &[RELAY, NO_FAULTS];

fn compared(texts: &[&str], open: usize, head: Position) -> Compared {
    Compared {
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        open,
        head,
    }
}

fn with_faults(lines: &str) -> String {
    RELAY.text.replace("crash after Relay.publish-events.1\n", lines)
}

fn link(compared: &Compared) -> String {
    encode_comparison_among(compared, PRESETS).unwrap()
}

fn read(received: &str) -> Result<Compared, LinkError> {
    match read_among(received, PRESETS)? {
        Link::Comparison(compared) => Ok(compared),
        Link::Scenario(shared) => panic!("a scenario: {shared:?}"),
    }
}

/// One of each kind.
fn samples() -> Vec<Compared> {
    let (relay, calm, mine) = (RELAY.text, NO_FAULTS.text, "scenario Mine\n  title de \"Größe\"\n");
    let moved = with_faults("crash before Relay#2.mark.1 restart 5s\nlose reply Shop.commit.1+\n");
    let elsewhere = format!("crash after Shop.commit.1\n{relay}");
    let changed = relay.replace("events", "changes");
    vec![
        compared(&[relay, calm], 0, Position::End),
        compared(&[calm, relay], 1, Position::At(10_004)),
        compared(&[&moved, calm, relay], 0, Position::Start),
        compared(&[calm, &elsewhere], 1, Position::End),
        compared(&[relay, mine, &changed, "", relay, calm], 1, Position::At(0)),
        // One that is not open keeps its fault lines, though nobody looks at them.
        compared(&[calm, &moved], 0, Position::End),
    ]
}

#[test]
fn what_was_compared_comes_back() {
    for sample in samples() {
        assert_eq!(read(&link(&sample)).as_ref(), Ok(&sample));
    }
}

#[test]
fn presets_are_named_and_the_faults_are_said_once() {
    let moved = with_faults("crash before Relay#2.mark.1 restart 5s\n");
    let sample = compared(&[NO_FAULTS.text, &moved, RELAY.text], 1, Position::At(5_000));
    let link = link(&sample);
    let (body, _) = link.rsplit_once('/').unwrap();
    assert_eq!(
        body,
        "2/3/T5-calm.t8mx/T5~nyb3/T5.nyb3/open,2/crash,before,Relay=2.mark.1,restart,5s/at,5000"
    );
}

#[test]
fn links_end_with_a_letter_or_digit_and_need_no_encoding() {
    for sample in samples() {
        let link = link(&sample);
        assert!(link.ends_with(|c: char| c.is_ascii_alphanumeric()), "{link}");
        assert!(
            link.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~,=/".contains(c)),
            "{link}"
        );
        assert!(link.matches('~').count() <= 1, "{link}");
    }
}

#[test]
fn whoever_wants_one_scenario_gets_the_open_one() {
    for sample in samples() {
        let open = Shared {
            text: sample.texts[sample.open].clone(),
            view: View::default(),
        };
        assert_eq!(decode_among(&link(&sample), PRESETS), Ok(open));
    }
}

/// The list is never regenerated; lines are added only. Its links were made by an independent encoder: the zlib module of
/// Python.
#[test]
fn links_that_are_out_there_are_still_read() {
    let list = include_str!("golden/links-v2.txt");
    let entries: Vec<&str> = list.lines().filter(|line| !line.starts_with("--")).collect();
    assert!(entries.len() >= 28, "the list has lost lines");
    for entry in entries {
        let (link, expected) = entry.split_once(" => ").expect("a line is `link => what it gives`");
        assert_eq!(outcome(read(link)), expected, "{link}");
    }
}

fn outcome(read: Result<Compared, LinkError>) -> String {
    let compared = match read {
        Ok(compared) => compared,
        Err(error) => {
            let error = format!("{error:?}");
            return error.split([' ', '(']).next().unwrap_or_default().to_owned();
        }
    };
    let designs = compared.texts.iter().enumerate();
    let mut parts: Vec<String> = designs
        .map(|(index, text)| match index == compared.open {
            true => format!("[{}]", design(text)),
            false => design(text),
        })
        .collect();
    match compared.head {
        Position::Start => parts.push("start".to_owned()),
        Position::At(at) => parts.push(format!("at {at}")),
        Position::End => {}
    }
    parts.join(" ; ")
}

/// `T5 | 24 crash after Relay.mark.1`; other texts in quotes.
fn design(text: &str) -> String {
    let others = |text| fault_lines::split(text).others.concat();
    let preset = PRESETS.iter().find(|preset| others(preset.text) == others(text));
    let Some(preset) = preset else {
        return format!("{text:?}");
    };
    let lines = text.lines().enumerate();
    let faults = lines.filter(|(_, line)| fault_lines::is_fault_line(line));
    let faults: String = faults.map(|(index, line)| format!(" | {} {line}", index + 1)).collect();
    format!("{}{faults}", preset.id)
}

// --- Refusals ---------------------------------------------------------------------------------------------------

#[test]
fn refusals_have_names() {
    for cut in ["2/", "2/2", "2/2/T5.nyb3", "2/2/T5.nyb3/T5-calm.t8mx"] {
        assert_eq!(read(cut), Err(LinkError::Truncated), "{cut:?}");
    }
    let part = |part: &str| read(&sealed(&format!("2/2/T5.nyb3/T5-calm.t8mx/{part}")));
    for bad in ["at,", "at,x", "at,-1", "at,1,2", "at,18446744073709551616"] {
        assert_eq!(part(bad), Err(LinkError::BadTime(bad.to_owned())));
    }
    assert_eq!(part("at,1/at,2"), Err(LinkError::BadTime("at,2".to_owned())));
    assert_eq!(part("at,1/start"), Err(LinkError::BadTime("start".to_owned())));
    for bad in ["open,", "open,0", "open,3", "open,x", "open,99999999999999999999"] {
        assert_eq!(part(bad), Err(LinkError::BadOpen(bad.to_owned())));
    }
    assert_eq!(part("open,2/open,1"), Err(LinkError::BadOpen("open,1".to_owned())));
    for unknown in ["event,3", "", "own", "line,1", "crash,after,Relay.mark.1"] {
        assert_eq!(part(unknown), Err(LinkError::UnknownPart(unknown.to_owned())));
    }
    for count in ["", "0", "1", "7", "x", "-2", "99999999999999999999"] {
        let whole = sealed(&format!("2/{count}{}", "/T5.nyb3".repeat(7)));
        assert_eq!(read(&whole), Err(LinkError::BadCount(count.to_owned())));
    }
    let second = |design: &str| read(&sealed(&format!("2/2/T5.nyb3/{design}")));
    for bad in [
        "",
        "T5",
        "s",
        "T5.nyb",
        "T5.nyb33",
        "T5.NYB3",
        "T5-calm~t8mx",
        "T5~nyb3.x",
    ] {
        let refused = second(bad);
        assert_eq!(refused, Err(LinkError::BadDesign(bad.to_owned())), "{bad}");
    }
    assert_eq!(second("T9.nyb3"), Err(LinkError::UnknownPreset("T9".to_owned())));
    assert_eq!(second("s.____"), Err(LinkError::NotCompressed));
    assert_eq!(
        second(&format!("s.{}", packed(b"ab\xffcd"))),
        Err(LinkError::NotText { byte: 2 })
    );
    assert_eq!(
        second(&format!("s.{}", packed(b"fine"))).map(|read| read.texts[1].clone()),
        Ok("fine".to_owned())
    );
}

#[test]
fn no_link_is_made_for_what_is_no_comparison() {
    let encode = |texts: &[&str], open| encode_comparison_among(&compared(texts, open, Position::End), PRESETS);
    assert_eq!(encode(&["x"], 0), Err(LinkError::BadCount("1".to_owned())));
    assert_eq!(encode(&["x"; 7], 0), Err(LinkError::BadCount("7".to_owned())));
    assert_eq!(encode(&["x"; 2], 2), Err(LinkError::BadOpen("open,3".to_owned())));
}

#[test]
fn texts_together_are_as_large_as_one_may_be() {
    let half = "x".repeat(TEXT_LIMIT / 2);
    let whole = compared(&[&half, &half], 0, Position::End);
    assert_eq!(read(&link(&whole)).as_ref(), Ok(&whole));
    let larger = compared(&[&half, &half, "x"], 0, Position::End);
    assert_eq!(encode_comparison_among(&larger, PRESETS), Err(LinkError::TooLarge));
    let data = packed(half.as_bytes());
    let forged = sealed(&format!("2/3/s.{data}/s.{data}/s.{}", packed(b"x")));
    assert_eq!(read(&forged), Err(LinkError::TooLarge));
    let bomb = packed(&vec![b'a'; 5_000_000]);
    assert_eq!(
        read(&sealed(&format!("2/2/T5.nyb3/s.{bomb}"))),
        Err(LinkError::TooLarge)
    );
    let long = format!("2/2/s.{}", "A".repeat(FRAGMENT_LIMIT));
    assert!(matches!(read(&long), Err(LinkError::TooLong { .. })));
}

#[test]
fn an_edited_preset_refuses_old_links_and_offers_the_present_texts() {
    let old = link(&compared(
        &[NO_FAULTS.text, &with_faults("crash after Relay.mark.1\n")],
        1,
        Position::At(7),
    ));
    let edited = Preset {
        text: "scenario T5\n\npromise no shop.outbox\n",
        ..RELAY
    };
    let refused = read_among(&old, &[edited, NO_FAULTS]);
    let Err(LinkError::ComparedChanged { id, present }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(id, "T5");
    let text = "scenario T5\n\ncrash after Relay.mark.1\npromise no shop.outbox\n";
    assert_eq!(*present, compared(&[NO_FAULTS.text, text], 1, Position::At(7)));
}

#[test]
fn every_cut_link_and_every_link_with_one_other_character_is_refused_or_gives_the_same() {
    for sample in samples().into_iter().take(4) {
        let link = link(&sample);
        for end in 0..link.len() {
            assert!(
                read_among(&link[..end], PRESETS).is_err(),
                "{} gives something",
                &link[..end]
            );
        }
        for (at, was) in link.char_indices() {
            for c in (0x20..0x7f)
                .map(char::from)
                .filter(|c| *c != was)
                .chain(['ß', '\u{200b}'])
            {
                let mut altered = link.clone();
                altered.replace_range(at..=at, c.encode_utf8(&mut [0; 4]));
                if let Ok(read) = read_among(&altered, PRESETS) {
                    assert_eq!(read, Link::Comparison(sample.clone()), "{altered}");
                }
            }
        }
    }
}

#[test]
fn every_refusal_is_said_in_both_languages() {
    for error in [
        LinkError::ComparedChanged {
            id: "T5".to_owned(),
            present: Box::new(compared(&["x", "y"], 0, Position::End)),
        },
        LinkError::BadCount("9".to_owned()),
        LinkError::BadOpen("open,9".to_owned()),
        LinkError::BadDesign("T9".to_owned()),
        LinkError::BadTime("at,9x".to_owned()),
    ] {
        let (en, de) = (error.text(Language::En), error.text(Language::De));
        assert_ne!(en, de);
        let named = |text: &str| text.contains('9') || text.contains("T5");
        assert!(named(&en) && named(&de), "{en} / {de}");
    }
}

/// A link whose checksum is right, whatever its parts are.
fn sealed(covered: &str) -> String {
    let mut crc = !0u32;
    for byte in covered.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    let digits = b"0123456789abcdefghjkmnpqrstvwxyz";
    let digit = |place: u32| char::from(digits[(u64::from(!crc) >> (5 * place)) as usize % 32]);
    format!("{covered}/{}", (0..7).rev().map(digit).collect::<String>())
}

fn packed(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(miniz_oxide::deflate::compress_to_vec(bytes, 9))
}

// --- Properties -------------------------------------------------------------------------------------------------

fn text() -> impl Strategy<Value = String> {
    let lines = "((crash|lose|cut)[ a-zA-Z#+.,0-9]{0,14}\n){0,3}";
    prop_oneof![
        Just(RELAY.text.to_owned()),
        Just(NO_FAULTS.text.to_owned()),
        lines.prop_map(|lines| with_faults(&lines)),
        lines.prop_map(|lines| format!("{}{lines}", NO_FAULTS.text)),
        "scenario (T5|X)\n[ -~äß\n]{0,60}",
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_compared_comes_back(
        texts in prop::collection::vec(text(), 2..=6),
        open in any::<prop::sample::Index>(),
        head in prop_oneof![Just(Position::Start), Just(Position::End), any::<u64>().prop_map(Position::At)],
    ) {
        let sample = Compared { open: open.index(texts.len()), texts, head };
        prop_assert_eq!(read(&link(&sample)), Ok(sample));
    }

    #[test]
    fn whatever_is_received_is_read_or_refused(parts in prop::collection::vec("[ -~]{0,12}", 0..8)) {
        let covered = format!("2/{}", parts.join("/"));
        let _ = read_among(&covered, PRESETS);
        let _ = read_among(&sealed(&covered), PRESETS);
    }
}
