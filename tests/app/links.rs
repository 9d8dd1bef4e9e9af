//! The address: it always holds what is open, and a link that cannot be opened takes nothing away.

use super::*;

fn follow(model: &mut Model, fragment: &str) -> Vec<Effect> {
    update(model, Message::OpenLink(fragment.into()))
}

#[test]
fn a_link_opens_exactly_what_was_shared_the_play_head_included() {
    let mut model = open_at("");
    update(&mut model, Message::NudgeMarker { marker: 0, later: true });
    update(&mut model, Message::ToStart);
    update(&mut model, Message::StepForward);
    let link = address(&update(&mut model, Message::StepForward));
    let opened = open_at(&format!("#{link}"));
    assert_eq!(opened.text, model.text);
    assert_eq!(opened.head, model.head);
    assert_eq!(view(&opened).state, view(&model).state);
    let start = address(&update(&mut model, Message::ToStart));
    assert_eq!(open_at(&start).head, model.head, "the beginning is a place too");
}

#[test]
fn a_broken_link_keeps_what_was_open_and_says_what_is_wrong() {
    let good = address(&update(&mut open_at(""), Message::SwitchVariant("O3".into())));
    let truncated = &good[..good.len() - 3];
    for broken in ["1/nonsense", "99/O1", "hello", "1/s/AAAA", truncated] {
        let mut model = preset("O10");
        let before = model.text.clone();
        let effects = follow(&mut model, broken);
        assert_eq!(model.text, before, "{broken}");
        let notice = view(&model).notices.first().cloned().expect("a notice");
        assert!(
            notice.text.starts_with("The link could not be opened"),
            "{}",
            notice.text
        );
        assert!(!notice.actions.is_empty(), "a way on");
        assert!(address(&effects).starts_with("1/O10"), "the address holds what is open");
        update(&mut model, Message::DismissNotice(notice.id));
        assert_eq!(view(&model).notices.to_vec(), []);
    }
}

#[test]
fn a_page_that_opens_with_a_broken_link_shows_the_first_scenario_and_the_notice() {
    let model = open_at("#1/broken");
    assert_eq!(&*view(&model).header.id, "O1");
    assert_eq!(view(&model).notices.len(), 1);
}

#[test]
fn the_pages_own_address_is_nothing_new() {
    let mut model = open_at("");
    let own = address(&update(&mut model, Message::NudgeMarker { marker: 0, later: true }));
    assert_eq!(follow(&mut model, &format!("#{own}")), []);
    assert_eq!(follow(&mut model, ""), []);
}

#[test]
fn going_back_in_the_browser_is_following_a_link_and_can_be_undone() {
    let mut model = open_at("");
    let first = view(&model).share.fragment.to_string();
    update(&mut model, Message::SwitchVariant("O3".into()));
    follow(&mut model, &first);
    assert_eq!(&*view(&model).header.id, "O1");
    update(&mut model, Message::Undo);
    assert_eq!(&*view(&model).header.id, "O3");
}

#[test]
fn a_link_does_not_replace_typed_text_unasked() {
    let mut model = open_at("");
    let typed = model.text.replace("120", "99");
    update(&mut model, Message::EditText(typed.as_str().into()));
    let link = address(&update(&mut open_at(""), Message::SwitchVariant("O3".into())));
    follow(&mut model, &link);
    assert_eq!(*model.text, *typed);
    let question = view(&model).notices[0].clone();
    update(&mut model, question.actions[1].message.clone());
    assert_eq!((&*model.text, view(&model).notices.len()), (&*typed, 0), "kept");
    follow(&mut model, &link);
    let question = view(&model).notices[0].clone();
    update(&mut model, question.actions[0].message.clone());
    assert_eq!(&*view(&model).header.id, "O3");
}

#[test]
fn share_copies_the_link_and_says_so() {
    let mut model = open_at("");
    let effects = update(&mut model, Message::Share);
    assert_eq!(effects, [Effect::CopyLink(view(&model).share.fragment.to_string())]);
    let effects = update(&mut model, Message::Copied(true));
    assert_eq!(effects, [Effect::Announce("Link copied".to_owned())]);
    assert!(view(&model).share.copied);
    update(&mut model, Message::NudgeMarker { marker: 0, later: true });
    assert!(!view(&model).share.copied, "that was another link");
    update(&mut model, Message::Copied(false));
    assert_eq!(view(&model).notices.len(), 1);
}
