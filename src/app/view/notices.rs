//! Notices in words, each with a way on.

use super::Entry;
use crate::app::designs::SETS;
use crate::app::message::Message;
use crate::app::model::NoticeId;
use crate::app::model::{self, Asked, Model, NoticeWhat};
use crate::app::presets::{self, in_language};
use crate::app::words::{sentences, ui};
use crate::challenges;
use crate::link::LinkError;
use std::rc::Rc;

/// Something to read; an error never takes away what was open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub id: NoticeId,
    pub kind: NoticeKind,
    pub text: String,
    /// Ways on.
    pub actions: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    Information,
    Question,
    Error,
}

pub(super) fn notices(model: &Model) -> Rc<[Notice]> {
    model.notices.iter().map(|notice| show(model, notice)).collect()
}

fn show(model: &Model, notice: &model::Notice) -> Notice {
    let language = model.language;
    let (kind, text) = match &notice.what {
        NoticeWhat::BrokenLink(error) => (
            NoticeKind::Error,
            sentences::broken_link(language, &error.text(language)),
        ),
        NoticeWhat::NoLink(error) => (NoticeKind::Error, error.text(language)),
        NoticeWhat::UnknownPreset(id) => (NoticeKind::Error, sentences::unknown_preset(language, id)),
        NoticeWhat::Replace(asked) => (
            NoticeKind::Question,
            sentences::replace_question(language, &title(model, asked)),
        ),
        NoticeWhat::ErrorsFirst => (NoticeKind::Error, sentences::errors_first(language).to_owned()),
        NoticeWhat::CopyFailed => (NoticeKind::Information, sentences::copy_failed(language).to_owned()),
    };
    Notice {
        id: notice.id,
        kind,
        text,
        actions: actions(model, notice),
    }
}

fn actions(model: &Model, notice: &model::Notice) -> Vec<Entry> {
    let words = ui(model.language);
    let entry = |label: &str, message| Entry {
        label: label.to_owned(),
        message,
        checked: false,
    };
    let dismiss = entry(words.dismiss, Message::DismissNotice(notice.id));
    match &notice.what {
        NoticeWhat::Replace(_) => {
            let (replace, keep) = sentences::replace_and_keep(model.language);
            vec![
                entry(replace, Message::ConfirmReplace(notice.id)),
                entry(keep, Message::DismissNotice(notice.id)),
            ]
        }
        NoticeWhat::BrokenLink(LinkError::PresetChanged { .. } | LinkError::ComparedChanged { .. }) => {
            vec![
                entry(
                    sentences::open_present(model.language),
                    Message::ConfirmReplace(notice.id),
                ),
                dismiss,
            ]
        }
        NoticeWhat::BrokenLink(_) | NoticeWhat::UnknownPreset(_) if *model.played.scenario.id != *presets::FIRST => {
            vec![
                entry(
                    sentences::open_first(model.language),
                    Message::OpenPreset(presets::FIRST.into()),
                ),
                dismiss,
            ]
        }
        NoticeWhat::ErrorsFirst => vec![entry(words.undo, Message::Undo), dismiss],
        _ => vec![dismiss],
    }
}

fn title(model: &Model, asked: &Asked) -> String {
    match asked {
        Asked::Preset(id) | Asked::Variant(id) => {
            let entry = model.presets.iter().find(|entry| *entry.preset.id == **id);
            let title = entry.and_then(|entry| in_language(&entry.told().title, model.language));
            let challenge =
                || challenges::find(id).map(|challenge| super::challenge::text(challenge.title, model.language).into());
            title
                .or_else(challenge)
                .map_or_else(|| id.to_string(), |title| title.to_string())
        }
        Asked::Link(shared) => text_title(model, &shared.text),
        Asked::Design(text) => text_title(model, text),
        Asked::Set(index) => SETS.get(*index).map_or_else(String::new, |set| {
            sentences::set_title(model.language, set.folder, set.ids)
        }),
        Asked::Comparison(compared) => {
            let open = compared.texts.get(compared.open);
            open.map_or_else(String::new, |text| text_title(model, text))
        }
    }
}

fn text_title(model: &Model, text: &str) -> String {
    let scenario = crate::language::parse(text).ok();
    let title = scenario.and_then(|scenario| in_language(&scenario.title, model.language));
    title.map_or_else(
        || sentences::shared_text(model.language).to_owned(),
        |title| title.to_string(),
    )
}
