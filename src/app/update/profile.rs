//! Another product for a broker: an edit of its line in the text.

use super::{marker, open};
use crate::app::message::Effect;
use crate::app::model::Model;
use crate::language::edit;
use crate::program::profile::Profile;

/// Gives a broker a profile, or none. One step that can be undone; nothing if the text has no such broker, or there is no such
/// profile.
pub(super) fn set(model: &mut Model, broker: &str, profile: Option<&str>, effects: &mut Vec<Effect>) {
    if !marker::may_edit(model) || profile.is_some_and(|name| Profile::find(name).is_none()) {
        return;
    }
    if let Some(text) = edit::set_profile(&model.text, broker, profile) {
        open::edited(model, text.into(), effects);
    }
}
