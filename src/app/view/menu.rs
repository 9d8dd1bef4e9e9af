//! The menu of one marker: what happens, where, for how long.

use super::Shown;
use super::timeline::marker_title;
use crate::app::fault;
use crate::app::message::Message;
use crate::app::model::{MarkerId, MarkerKind, Overlay};
use crate::app::ruler::step_name;
use crate::app::strikes::Strikes;
use crate::app::words::sentences::{self, MenuWords};
use crate::program::{Fault, Side};
use crate::simulation::trace::Reach;
use crate::value::Millis;

/// The menu of one marker. Each entry is a button that sends its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerMenu {
    pub marker: MarkerId,
    pub title: String,
    pub groups: Vec<MenuGroup>,
    pub remove: Entry,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuGroup {
    /// "What happens", "Where", "Restart".
    pub label: String,
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub label: String,
    pub message: Message,
    pub checked: bool,
}

/// Restart times and durations the menu offers beside the present one.
const RESTARTS: [Option<Millis>; 5] = [Some(1_000), Some(5_000), Some(30_000), Some(60_000), None];
const DURATIONS: [Millis; 5] = [1_000, 5_000, 30_000, 60_000, 600_000];

pub(super) fn menu(shown: &Shown<'_>) -> Option<MarkerMenu> {
    let Some(Overlay::Menu(marker)) = shown.model.overlay else {
        return None;
    };
    let fault = &shown.model.played.faults.get(marker)?.fault;
    let words = sentences::menu(shown.language);
    let groups = [
        kinds(shown, marker, fault, &words),
        sides(shown, marker, fault, &words),
        restarts(shown, marker, fault, &words),
        durations(shown, marker, fault, &words),
        repetition(marker, fault, &words),
    ];
    Some(MarkerMenu {
        marker,
        title: marker_title(shown, fault),
        groups: groups.into_iter().flatten().collect(),
        remove: Entry {
            label: words.remove.to_owned(),
            message: Message::RemoveMarker(marker),
            checked: false,
        },
    })
}

fn kinds(shown: &Shown<'_>, marker: MarkerId, fault: &Fault, words: &MenuWords) -> Option<MenuGroup> {
    let present = fault::kind(fault);
    let all = MarkerKind::ON_STEPS
        .into_iter()
        .chain([MarkerKind::Down, MarkerKind::Cut]);
    let possible = all.filter(|kind| {
        let other = || fault::changed(fault, *kind, shown.program);
        *kind == present || other().is_some_and(|other| can_strike(shown, marker, &other))
    });
    let entries = possible.map(|kind| Entry {
        label: sentences::marker_kind(shown.language, kind).to_owned(),
        message: Message::SetKind { marker, kind },
        checked: kind == present,
    });
    Some(MenuGroup {
        label: words.kind.to_owned(),
        entries: entries.collect(),
    })
}

fn sides(shown: &Shown<'_>, marker: MarkerId, fault: &Fault, words: &MenuWords) -> Option<MenuGroup> {
    let present = fault::side(fault)?;
    let possible = [Side::Before, Side::During, Side::After].into_iter().filter(|side| {
        let other = || fault::on_side(fault, *side);
        *side == present || other().is_some_and(|other| can_strike(shown, marker, &other))
    });
    let entries = possible.map(|side| Entry {
        label: sentences::side(shown.language, side).to_owned(),
        message: Message::SetSide { marker, side },
        checked: side == present,
    });
    Some(MenuGroup {
        label: words.side.to_owned(),
        entries: entries.collect(),
    })
}

/// Whether what the marker would become can strike the visit it is named after. One that does not happen could happen otherwise.
fn can_strike(shown: &Shown<'_>, marker: MarkerId, fault: &Fault) -> bool {
    let place = fault::place(fault);
    let (Some(named), Some(strikes)) = (place.step(), Strikes::of(fault)) else {
        return true;
    };
    let Some(ruler) = shown.model.survey.rulers.get(marker) else {
        return true;
    };
    let mut visits = ruler.run.trace.visits.iter();
    let visit = visits.find(|visit| step_name(shown.program, &shown.instances, visit).as_ref() == Some(named));
    visit.is_none_or(|visit| match fault::side(fault) {
        Some(Side::After) => true,
        // There is a gap before what is sent within a pass; what counts only from its answer had none.
        Some(Side::Before) => matches!(visit.reach, Reach::Whole | Reach::Local),
        _ => strikes.reaches(visit.reach),
    })
}

fn restarts(shown: &Shown<'_>, marker: MarkerId, fault: &Fault, words: &MenuWords) -> Option<MenuGroup> {
    let Fault::Crash(_, present) = fault else { return None };
    let mut offered = RESTARTS.to_vec();
    if !offered.contains(present) {
        offered.insert(0, *present);
    }
    let entries = offered.into_iter().map(|restart| Entry {
        label: restart.map_or_else(|| words.never.to_owned(), |time| sentences::span(shown.language, time)),
        message: Message::SetRestart { marker, restart },
        checked: restart == *present,
    });
    Some(MenuGroup {
        label: words.restart.to_owned(),
        entries: entries.collect(),
    })
}

fn durations(shown: &Shown<'_>, marker: MarkerId, fault: &Fault, words: &MenuWords) -> Option<MenuGroup> {
    let present = fault::duration(fault)?;
    let mut offered = DURATIONS.to_vec();
    if !offered.contains(&present) {
        offered.insert(0, present);
    }
    let entries = offered.into_iter().map(|duration| Entry {
        label: sentences::span(shown.language, duration),
        message: Message::SetDuration { marker, duration },
        checked: duration == present,
    });
    Some(MenuGroup {
        label: words.duration.to_owned(),
        entries: entries.collect(),
    })
}

fn repetition(marker: MarkerId, fault: &Fault, words: &MenuWords) -> Option<MenuGroup> {
    let present = fault::all_later(fault)?;
    let entries = [(false, words.once), (true, words.always)].map(|(all, label)| Entry {
        label: label.to_owned(),
        message: Message::SetAllLater { marker, all },
        checked: all == present,
    });
    Some(MenuGroup {
        label: words.repetition.to_owned(),
        entries: entries.into(),
    })
}
