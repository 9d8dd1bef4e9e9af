//! From a message to a changed model and what the browser has to do about it.
//!
//! Refuses to know: how anything is shown, and the browser.

use crate::app::designs as comparison;
use crate::app::message::{Deed, Effect, Message, Preference};
use crate::app::model::{MarkerId, Model, Notice, NoticeWhat, Overlay};
use crate::link;
use std::rc::Rc;

mod challenge;
mod designs;
mod finder;
mod head;
mod marker;
mod open;
mod profile;

pub(crate) use head::{position as head_position, so_many as head_after};
pub use open::open;

/// Does what a message says. Effects are to be carried out in sequence.
pub fn update(model: &mut Model, message: Message) -> Vec<Effect> {
    let mut effects = Vec::new();
    let is_slice = matches!(message, Message::GoOn);
    let went_on = model.has_more_to_do();
    if let Some(drag) = &model.drag
        && ends_drag(&message, drag.marker)
    {
        marker::cancel_drag(model);
    }
    match message {
        Message::OpenPreset(id) => open::preset(model, &id, &mut effects),
        Message::SwitchVariant(id) => open::variant(model, &id, &mut effects),
        Message::OpenLink(fragment) => open::link(model, &fragment, &mut effects),
        Message::EditText(text) => open::typed(model, text, &mut effects),
        Message::EditDone => model.history.end_typing(),
        Message::GoOn => {
            open::go_on(model, &mut effects);
            comparison::go_on(model);
        }
        Message::ConfirmReplace(notice) => open::confirmed(model, notice, &mut effects),
        Message::SetProfile { broker, profile } => profile::set(model, &broker, profile.as_deref(), &mut effects),

        Message::PutMarker { lane, stop } => marker::put(model, lane, stop, &mut effects),
        Message::SetStrikes(strikes) => marker::set_strikes(model, strikes),
        Message::AddMarker { lane, stop } => marker::add_at(model, lane, stop, &mut effects),
        Message::Gutter { line } => marker::gutter(model, line, &mut effects),
        Message::MoveMarker { marker, stop } => marker::move_to(model, marker, stop, &mut effects),
        Message::NudgeMarker { marker, later } => {
            marker::nudge(model, marker, if later { 1 } else { -1 }, &mut effects)
        }
        Message::SelectMarker(marker) => marker::select(model, marker),
        Message::Key { marker, key } => marker::key(model, marker, key, &mut effects),
        Message::SetKind { .. }
        | Message::SetSide { .. }
        | Message::SetRestart { .. }
        | Message::SetDuration { .. }
        | Message::SetAllLater { .. } => marker::change(model, &message, &mut effects),
        Message::RemoveMarker(marker) => marker::remove(model, marker, &mut effects),

        Message::DragStart(marker) => marker::start_drag(model, marker),
        Message::DragTo(position) => marker::drag_to(model, position, &mut effects),
        // Nothing is another; what had waited for it is shown now.
        Message::DragRests => {}
        Message::DragEnd => marker::end_drag(model, &mut effects),
        Message::DragCancel => marker::cancel_drag(model),

        Message::StepForward
        | Message::StepBack
        | Message::ToStart
        | Message::ToEnd
        | Message::Scrub(_)
        | Message::GoTo(_)
        | Message::PlayPause
        | Message::Tick => head::update(model, &message, &mut effects),

        Message::Challenge(deed) => challenge::update(model, &deed, &mut effects),

        Message::Undo => open::undo(model, &mut effects),
        Message::Redo => open::redo(model, &mut effects),
        Message::SetLanguage(language) => {
            model.language = language;
            effects.push(Effect::Store(Preference::Language(language)));
        }
        Message::SetTheme(theme) => {
            model.theme = theme;
            effects.push(Effect::Store(Preference::Theme(theme)));
        }
        Message::SelectTab(tab) => designs::select_tab(model, tab, &mut effects),
        Message::Show(overlay) => show_overlay(model, overlay),
        Message::SelectFinding(finding) => model.finding = finding,
        Message::Share => share(model, &mut effects),
        Message::Copied(done) => copied(model, done, &mut effects),
        Message::DismissNotice(id) => model.notices.retain(|notice| notice.id != id),

        Message::AddDesign(_)
        | Message::RemoveDesign(_)
        | Message::ShiftDesign { .. }
        | Message::CompareSet(_)
        | Message::CompareVariants
        | Message::OpenDesign { .. }
        | Message::GoToInstant(_)
        | Message::CopyMatrix
        | Message::MatrixCopied(_) => designs::update(model, &message, &mut effects),
        Message::Find(find) => finder::update(model, find, &mut effects),
    }
    comparison::look(model);
    finder::follow(model, &mut effects);
    challenge::look(model, &mut effects);
    let is_waiting = (model.has_more_to_do() && (!went_on || is_slice)) || comparison::is_pending(model);
    if is_waiting && !effects.contains(&Effect::GoOnSoon) {
        effects.push(Effect::GoOnSoon);
    }
    effects
}

/// A drag goes on while nothing else changes what is open. Taking hold of a marker takes the focus from the editor and gives it
/// to the marker, which says so a moment later.
fn ends_drag(message: &Message, dragged: MarkerId) -> bool {
    if let Message::SelectMarker(selected) = message {
        return *selected != Some(dragged);
    }
    if let Message::Find(find) = message {
        return !find.is_of_search();
    }
    !matches!(
        message,
        Message::DragTo(_)
            | Message::DragRests
            | Message::DragEnd
            | Message::DragCancel
            | Message::EditDone
            | Message::Tick
            | Message::GoOn
            | Message::Challenge(Deed::GoOn)
            | Message::SetLanguage(_)
            | Message::SetTheme(_)
            | Message::SelectTab(_)
            | Message::Copied(_)
            | Message::DismissNotice(_)
            | Message::CopyMatrix
            | Message::MatrixCopied(_)
    )
}

fn show_overlay(model: &mut Model, overlay: Option<Overlay>) {
    if let Some(Overlay::Menu(marker)) = overlay {
        marker::select(model, Some(marker));
    }
    model.overlay = overlay;
}

fn share(model: &mut Model, effects: &mut Vec<Effect>) {
    match fragment(model) {
        Ok(fragment) => effects.push(Effect::CopyLink(fragment)),
        Err(error) => notice(model, NoticeWhat::NoLink(error)),
    }
}

fn copied(model: &mut Model, done: bool, effects: &mut Vec<Effect>) {
    model.copied = done;
    if done {
        model.unsaved = false;
        effects.push(Effect::Announce(
            crate::app::words::ui(model.language).copied.to_owned(),
        ));
    } else {
        notice(model, NoticeWhat::CopyFailed);
    }
}

/// The link of what is open.
pub(crate) fn fragment(model: &Model) -> Result<String, link::LinkError> {
    if let Some(compared) = comparison::shared(model) {
        return link::encode_comparison(&compared);
    }
    link::encode(&link::Shared {
        text: model.text.to_string(),
        view: head::shared(model),
    })
}

/// The address follows what is open; empty where no link can hold it, because an old one would be a lie.
fn readdress(model: &mut Model, effects: &mut Vec<Effect>) {
    comparison::follow(model);
    model.link = fragment(model).unwrap_or_default().into();
    effects.push(Effect::ReplaceFragment(model.link.to_string()));
}

/// Adds a notice; the same one is not shown twice.
fn notice(model: &mut Model, what: NoticeWhat) {
    model.notices.retain(|notice| notice.what != what);
    let id = model.next_notice;
    model.next_notice += 1;
    model.notices.push(Notice { id, what });
}

/// Text shared by the model.
type Text = Rc<str>;
