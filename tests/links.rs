//! Links: what was shared comes back byte for byte, or the link is refused with a name for what is wrong.
//!
//! Method: presets of the test's own (the shipped ones may change, and then their old links must be refused), a golden
//! list of links that every later version must read, and arbitrary input.
#![cfg(not(target_arch = "wasm32"))]

use crashpoint::link::{
    COMFORTABLE, FRAGMENT_LIMIT, LengthClass, LinkError, Shared, TEXT_LIMIT, View, decode, decode_among, encode,
    encode_among, length_class,
};
use crashpoint::scenarios::{self, Preset};
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

fn shared(text: &str) -> Shared {
    Shared {
        text: text.to_owned(),
        view: View::default(),
    }
}

fn at_event(text: &str, event: u32) -> Shared {
    Shared {
        text: text.to_owned(),
        view: View { play_head: Some(event) },
    }
}

fn with_faults(lines: &str) -> Shared {
    shared(&RELAY.text.replace("crash after Relay.publish-events.1\n", lines))
}

fn link(shared: &Shared) -> String {
    encode_among(shared, PRESETS).unwrap()
}

fn read(received: &str) -> Result<Shared, LinkError> {
    decode_among(received, PRESETS)
}

/// One of each kind.
fn samples() -> Vec<Shared> {
    vec![
        shared(RELAY.text),
        at_event(RELAY.text, 12),
        with_faults("crash before Relay#2.mark.1 restart 5s\nlose reply Shop.commit.1+\n"),
        with_faults(""),
        at_event(&with_faults("pause during Relay.mark.1 for 5s\n").text, 0),
        at_event("scenario Mine\n  title de \"Größe\"\n\nservice A\n", 4_000_000_000),
        shared(&RELAY.text.replace("events", "changes")),
    ]
}

// --- Short and long ---------------------------------------------------------------------------------------------

#[test]
fn a_preset_as_it_is_needs_its_name_and_its_hash_only() {
    let link = link(&shared(RELAY.text));
    assert_eq!(link.len(), "1/T5.k3f9".len());
    assert!(link.starts_with("1/T5."), "{link}");
}

#[test]
fn fault_lines_of_a_preset_can_be_read_in_the_link() {
    let link = link(&with_faults(
        "crash before Relay#2.mark.1 restart 5s\nlose reply Shop.commit.1+\n",
    ));
    let faults = "/crash,before,Relay=2.mark.1,restart,5s/lose,reply,Shop.commit.1=/";
    assert!(link.starts_with("1/T5~") && link.contains(faults), "{link}");
}

#[test]
fn a_preset_without_its_fault_lines_or_with_a_play_head_is_short_too() {
    assert_eq!(link(&with_faults("")).matches('/').count(), 2);
    assert!(link(&at_event(RELAY.text, 12)).contains("/own/event,12/"));
}

#[test]
fn a_first_fault_of_a_preset_without_any_needs_no_place() {
    let text = NO_FAULTS
        .text
        .replace("promise one", "down rabbit at 5s for 10s\npromise one");
    let link = link(&shared(&text));
    assert!(
        link.contains("/down,rabbit,at,5s,for,10s/") && !link.contains("line,"),
        "{link}"
    );
}

#[test]
fn fault_lines_elsewhere_carry_their_place() {
    let text = format!("crash after Shop.commit.1\n{}refuse Relay.mark.1\n", RELAY.text);
    let link = link(&shared(&text));
    assert!(link.contains("/line,0/crash,"), "{link}");
    assert_eq!(read(&link), Ok(shared(&text)));
}

#[test]
fn what_the_short_form_cannot_say_byte_for_byte_goes_into_the_long_one() {
    let preset = RELAY.text;
    for text in [
        preset.replace("publish-events.1\n", "publish-events.1 -- why?\n"),
        preset.replace("crash after", "crash  after"),
        preset.replace("publish-events.1\n", "publish-events.1 \n"),
        preset.replace("publish-events.1\n", "publish-events.1\r\n"),
        preset.replace('\n', "\r\n"),
        preset.replace("crash after", "crash ünder"),
        preset.replace("total", "amount"),
        format!("{preset}crash after Relay.mark.1"),
        preset.to_lowercase(),
        preset.replace("scenario T5", "scenario T6"),
    ] {
        let link = link(&shared(&text));
        assert!(link.starts_with("1/s/"), "{link}");
        assert_eq!(read(&link), Ok(shared(&text)));
    }
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
fn every_shipped_preset_is_short_and_comes_back() {
    for preset in scenarios::all() {
        let sample = shared(preset.text);
        let link = encode(&sample).unwrap();
        assert!(link.starts_with(&format!("1/{}.", preset.id)), "{link}");
        assert_eq!(decode(&link), Ok(sample));
    }
}

// --- The golden list --------------------------------------------------------------------------------------------

/// Links of format 1 are read for ever. The list is never regenerated; lines are added only. Its links were made by an
/// independent encoder: the zlib module of Python.
#[test]
fn links_that_are_out_there_are_still_read() {
    let list = include_str!("golden/links-v1.txt");
    let entries: Vec<&str> = list
        .lines()
        .filter(|line| !line.starts_with("--") && !line.is_empty())
        .collect();
    let pairs: Vec<(&str, &str)> = entries.iter().filter_map(|line| line.split_once(" => ")).collect();
    assert_eq!(pairs.len(), entries.len(), "a line is `link => what it gives`");
    assert!(pairs.len() >= 18, "the list has lost lines");
    for (link, expected) in pairs {
        assert_eq!(outcome(read(link)), expected, "{link}");
    }
}

/// `T5 | 25 crash after Relay.mark.1 | event 12`: preset, its fault lines with their numbers, play head. Other texts in
/// quotes; of a refusal the name.
fn outcome(read: Result<Shared, LinkError>) -> String {
    let Shared { text, view } = match read {
        Ok(shared) => shared,
        Err(error) => {
            return format!("{error:?}")
                .split([' ', '('])
                .next()
                .unwrap_or_default()
                .to_owned();
        }
    };
    let is_fault = |line: &str| {
        ["crash", "pause", "lose", "refuse", "delay", "down", "cut"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    let others = |text: &str| {
        text.split_inclusive('\n')
            .filter(|line| !is_fault(line))
            .collect::<String>()
    };
    let mut parts = match PRESETS.iter().find(|preset| others(preset.text) == others(&text)) {
        Some(preset) => vec![preset.id.to_owned()],
        None => vec![format!("{text:?}")],
    };
    let lines = text.lines().enumerate().filter(|(_, line)| is_fault(line));
    parts.extend(lines.map(|(index, line)| format!("{} {line}", index + 1)));
    parts.extend(view.play_head.map(|event| format!("event {event}")));
    parts.join(" | ")
}

// --- What programs on the way do to links -----------------------------------------------------------------------

#[test]
fn pasted_links_are_read_as_chats_and_mails_deliver_them() {
    for sample in samples() {
        let link = link(&sample);
        let encoded = link
            .replace('/', "%2F")
            .replace('~', "%7E")
            .replace(',', "%2c")
            .replace('=', "%3D");
        let twice = encoded.replace('%', "%25");
        let wrapped: String = link
            .chars()
            .enumerate()
            .map(|(i, c)| if i % 40 == 39 { format!("{c}\r\n") } else { c.into() })
            .collect();
        for received in [
            link.clone(),
            format!("#{link}"),
            format!("https://crashpoint.example/play/#{link}"),
            format!("  https://crashpoint.example/#{link}\n"),
            format!("<https://crashpoint.example/#{link}>"),
            format!("\"#{link}\""),
            format!("„https://crashpoint.example/#{link}“."),
            format!("(see https://crashpoint.example/#{link})."),
            format!("[a link](https://crashpoint.example/#{link})"),
            format!("https://crashpoint.example/#{encoded}"),
            format!("https://crashpoint.example/%23{encoded}"),
            format!("https%3A%2F%2Fcrashpoint.example%2F%23{encoded}"),
            format!("https://crashpoint.example/#{twice}"),
            format!("https://crashpoint.example/#{wrapped}"),
        ] {
            assert_eq!(read(&received).as_ref(), Ok(&sample), "{received}");
        }
    }
}

#[test]
fn a_presets_name_is_read_in_any_case() {
    let link = link(&shared(RELAY.text));
    assert_eq!(read(&link.to_lowercase()), Ok(shared(RELAY.text)));
}

// --- Refusals ---------------------------------------------------------------------------------------------------

#[test]
fn refusals_have_names() {
    for empty in ["", "#", "  ", "<>", "https://crashpoint.example/#"] {
        assert_eq!(read(empty), Err(LinkError::Empty), "{empty:?}");
    }
    for foreign in [
        "#section-2",
        "https://crashpoint.example/",
        "#/lesson/3",
        "0/s/x",
        "01/s/x",
        "hello",
        "x1/y",
        "99999999999/x",
    ] {
        assert_eq!(read(foreign), Err(LinkError::NotOurs), "{foreign:?}");
    }
    assert_eq!(read("#3/anything.at.all"), Err(LinkError::FutureFormat(3)));
    assert_eq!(read("1/T9.k3f9"), Err(LinkError::UnknownPreset("T9".to_owned())));
    for cut in ["1/", "1/T5", "1/T5.k3f", "1/T5~k3f9", "1/s", "1/s/", "1/s/abc"] {
        assert_eq!(read(cut), Err(LinkError::Truncated), "{cut:?}");
    }
    assert_eq!(
        read("1/T5.k3*9"),
        Err(LinkError::BadCharacter {
            position: 8,
            found: '*'
        })
    );
    assert_eq!(
        read("1/T5.k3é9"),
        Err(LinkError::BadCharacter {
            position: 8,
            found: 'é'
        })
    );
    assert_eq!(
        read("1/T5.k%3"),
        Err(LinkError::BadCharacter {
            position: 7,
            found: '%'
        })
    );
    assert_eq!(
        read("1/T5.k%C3%A9"),
        Err(LinkError::BadCharacter {
            position: 7,
            found: '%'
        })
    );
}

/// A link whose checksum is right, whatever its parts are: what only a person or a newer version makes.
fn sealed(covered: &str) -> String {
    let mut crc = !0u32;
    for byte in covered.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    let digits = b"0123456789abcdefghjkmnpqrstvwxyz";
    let check = (0..7)
        .rev()
        .map(|place| char::from(digits[(u64::from(!crc) >> (5 * place)) as usize % 32]));
    format!("{covered}/{}", check.collect::<String>())
}

fn packed(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(miniz_oxide::deflate::compress_to_vec(bytes, 9))
}

#[test]
fn parts_with_a_right_checksum_are_looked_at_all_the_same() {
    let preset = link(&shared(RELAY.text)).replace('.', "~");
    let part = |part: &str| read(&sealed(&format!("{preset}/{part}")));
    for bad in [
        "event,",
        "event,x",
        "event,-1",
        "event,1,2",
        "event,4294967296",
        "event,99999999999999999999",
    ] {
        assert_eq!(part(bad), Err(LinkError::BadPlayHead(bad.to_owned())));
    }
    assert_eq!(
        part("event,1/event,2"),
        Err(LinkError::BadPlayHead("event,2".to_owned()))
    );
    for bad in ["line,", "line,999", "line,-1", "line,99999999999999999999"] {
        assert_eq!(part(bad), Err(LinkError::BadLine(bad.to_owned())));
    }
    assert_eq!(
        part("line,5/crash/line,4"),
        Err(LinkError::BadLine("line,4".to_owned()))
    );
    for unknown in ["zoom,3", "", "scenario,X", "event"] {
        assert_eq!(part(unknown), Err(LinkError::UnknownPart(unknown.to_owned())));
    }
    let long = |parts: &str| read(&sealed(&format!("1/s/{parts}")));
    assert_eq!(
        long(&format!("{}/crash,after,A.b.1", packed(b"x"))),
        Err(LinkError::UnknownPart("crash,after,A.b.1".to_owned()))
    );
    assert_eq!(long("____"), Err(LinkError::NotCompressed));
    assert_eq!(long("a"), Err(LinkError::NotCompressed));
    assert_eq!(long(""), Err(LinkError::NotCompressed));
    assert_eq!(long(&packed(b"ab\xffcd")), Err(LinkError::NotText { byte: 2 }));
    assert_eq!(long(&packed(b"fine")), Ok(shared("fine")));
}

#[test]
fn a_bomb_is_not_unpacked() {
    let bomb = |size: usize| read(&sealed(&format!("1/s/{}", packed(&vec![b'a'; size]))));
    assert_eq!(bomb(TEXT_LIMIT).map(|shared| shared.text.len()), Ok(TEXT_LIMIT));
    assert_eq!(bomb(TEXT_LIMIT + 1), Err(LinkError::TooLarge));
    assert_eq!(bomb(5_000_000), Err(LinkError::TooLarge));
}

#[test]
fn hostile_lengths_are_refused_before_anything_is_decoded() {
    let long = format!("#1/s/{}", "A".repeat(FRAGMENT_LIMIT));
    assert_eq!(
        read(&long),
        Err(LinkError::TooLong {
            characters: FRAGMENT_LIMIT + 4
        })
    );
    let encoded = format!("#1/s/{}", "%25".repeat(10_000_000));
    assert!(matches!(read(&encoded), Err(LinkError::TooLong { .. })));
    let parts = format!("#1/T5~k3f9{}", "/".repeat(FRAGMENT_LIMIT - 10));
    assert_eq!(read(&parts), Err(LinkError::Truncated));
}

#[test]
fn no_link_is_made_that_nobody_could_open() {
    assert_eq!(encode(&shared(&"x".repeat(TEXT_LIMIT + 1))), Err(LinkError::TooLarge));
    let mut state = 1u32;
    let noise: String = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b' ' + (state >> 24) as u8 % 90)
    })
    .take(20_000)
    .collect();
    assert!(matches!(encode(&shared(&noise)), Err(LinkError::TooLong { characters }) if characters > FRAGMENT_LIMIT));
}

#[test]
fn an_edited_preset_refuses_old_links_and_offers_their_markers_in_the_present_text() {
    let before = with_faults("crash after Relay.mark.1\n");
    let elsewhere = shared(&format!("crash after Shop.commit.1\n{}", RELAY.text));
    let edited = Preset {
        text: "scenario T5\n\npromise no shop.outbox\n",
        ..RELAY
    };
    let refused = |old: &Shared| match decode_among(&link(old), &[edited]) {
        Err(LinkError::PresetChanged { id, present }) if id == "T5" => *present,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&shared(RELAY.text)), shared(edited.text));
    assert_eq!(
        refused(&before),
        shared("scenario T5\n\ncrash after Relay.mark.1\npromise no shop.outbox\n")
    );
    assert!(
        refused(&elsewhere)
            .text
            .starts_with("scenario T5\n\ncrash after Shop.commit.1\ncrash after Relay")
    );
}

#[test]
fn the_hash_covers_the_fault_lines_too() {
    let text: &'static str = with_faults("crash after Relay.mark.1\n").text.leak();
    let edited = Preset { text, ..RELAY };
    let refused = decode_among(&link(&shared(RELAY.text)), &[edited]);
    assert!(matches!(refused, Err(LinkError::PresetChanged { .. })), "{refused:?}");
}

#[test]
fn every_cut_link_is_refused() {
    for sample in samples() {
        let link = link(&sample);
        for end in 0..link.len() {
            let cut = &link[..end];
            assert!(read(cut).is_err(), "{cut} gives something");
        }
    }
}

#[test]
fn every_link_with_one_other_character_is_refused_or_gives_the_same() {
    for sample in samples() {
        let link = link(&sample);
        for (at, was) in link.char_indices() {
            for c in (0x20..0x7f)
                .map(char::from)
                .filter(|c| *c != was)
                .chain(['ß', '\u{200b}'])
            {
                let mut altered = link.clone();
                altered.replace_range(at..=at, c.encode_utf8(&mut [0; 4]));
                if let Ok(read) = read(&altered) {
                    assert_eq!(read, sample, "{altered}");
                }
            }
        }
    }
}

#[test]
fn every_refusal_is_said_in_both_languages() {
    let present = Box::new(shared("x"));
    for error in [
        LinkError::Empty,
        LinkError::NotOurs,
        LinkError::FutureFormat(7),
        LinkError::UnknownPreset("T9".to_owned()),
        LinkError::PresetChanged {
            id: "T5".to_owned(),
            present,
        },
        LinkError::Truncated,
        LinkError::Altered,
        LinkError::BadCharacter {
            position: 3,
            found: '*',
        },
        LinkError::TooLong { characters: 9_000 },
        LinkError::TooLarge,
        LinkError::NotCompressed,
        LinkError::NotText { byte: 7 },
        LinkError::BadPlayHead("event,x".to_owned()),
        LinkError::BadLine("line,x".to_owned()),
        LinkError::UnknownPart("zoom,3".to_owned()),
    ] {
        let (en, de) = (error.text(Language::En), error.text(Language::De));
        assert_eq!(en, error.to_string());
        assert_ne!(en, de);
        let concrete = |text: &str| {
            text.split(|c: char| !c.is_ascii_digit())
                .any(|number| ["2", "3", "7", "9000"].contains(&number))
        };
        assert_eq!(concrete(&en), concrete(&de), "{en} / {de}");
    }
}

#[test]
fn length_classes_have_their_limits() {
    let address = |length: usize| format!("https://x.example/#{}", "a".repeat(length - 19));
    assert_eq!(length_class(&address(COMFORTABLE)), LengthClass::Comfortable);
    assert_eq!(length_class(&address(COMFORTABLE + 1)), LengthClass::Long);
    assert_eq!(length_class(&address(FRAGMENT_LIMIT + 19)), LengthClass::Long);
    assert_eq!(length_class(&address(FRAGMENT_LIMIT + 20)), LengthClass::TooLong);
}

// --- Properties -------------------------------------------------------------------------------------------------

/// Lines as people write them, and as they should not.
fn fault_line() -> impl Strategy<Value = String> {
    let step = "[A-Z][a-z]{1,6}(#[1-9])?\\.[a-z_-]{1,9}(\\.[1-9]\\+?)?";
    let odd = "(crash|down|cut|lose)[ \t#+=,/~.a-zä-]{0,12}";
    prop_oneof![
        4 => step.prop_map(|step| format!("crash after {step} restart 5s\n")),
        2 => step.prop_map(|step| format!("lose reply {step}\n")),
        1 => odd.prop_map(|odd| format!("{odd}\n")),
    ]
}

proptest! {
    #[test]
    fn any_text_comes_back(text in "\\PC{0,200}|(?s:.{0,200})", event in proptest::option::of(any::<u32>())) {
        let sample = Shared { text, view: View { play_head: event } };
        prop_assert_eq!(read(&link(&sample)), Ok(sample));
    }

    #[test]
    fn any_faults_anywhere_in_a_preset_come_back(
        faults in proptest::collection::vec((0usize..40, fault_line()), 0..6),
        calm in any::<bool>(),
        event in proptest::option::of(0u32..500),
    ) {
        let preset = if calm { NO_FAULTS } else { RELAY };
        let mut lines: Vec<String> = preset.text.split_inclusive('\n').map(str::to_owned).collect();
        for (at, line) in faults {
            lines.insert(at.min(lines.len()), line);
        }
        let sample = Shared { text: lines.concat(), view: View { play_head: event } };
        prop_assert_eq!(read(&link(&sample)), Ok(sample));
    }

    #[test]
    fn plain_faults_of_a_preset_are_always_short(
        steps in proptest::collection::vec("[A-Z][a-z]{1,6}(#[1-9])?\\.[a-z_-]{1,9}\\.[1-9]", 0..5),
    ) {
        let lines: String = steps.iter().map(|step| format!("crash before {step} never\n")).collect();
        let link = link(&with_faults(&lines));
        prop_assert!(link.starts_with("1/T5~"), "{}", link);
    }

    #[test]
    fn any_input_gives_a_value_or_a_named_error(input in "\\PC{0,80}|(?s:.{0,80})") {
        let _ = read(&input).map_err(|error| error.to_string());
    }

    #[test]
    fn any_input_in_a_links_form_gives_a_value_or_a_named_error(
        head in "1/(s|T5[.~][0-9a-z]{4})", rest in "(/[a-z]{1,5}(,[A-Za-z0-9=._-]{0,8}){0,3}){0,5}",
    ) {
        for received in [format!("{head}{rest}"), sealed(&format!("{head}{rest}"))] {
            let _ = read(&received).map_err(|error| error.to_string());
        }
    }

    #[test]
    fn any_bytes_as_compressed_data_give_a_value_or_a_named_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        use base64::Engine;
        let data = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let _ = read(&sealed(&format!("1/s/{data}"))).map_err(|error| error.to_string());
    }
}
