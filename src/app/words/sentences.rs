//! Texts with parts. Each matches on the language, so that a language without one does not compile.

mod challenge;
mod designs;
mod finder;
mod marker;
mod opening;
mod state;
mod time;
mod timeline;

pub use challenge::{
    Tried, altered, best, blocked_change, breaks, challenge_terms, changes, claim_examined, claim_not_theirs,
    claim_right, claim_wrong, count_rule, endless, other_causes, solved, still_breaks, survives, their_change,
    too_much_to_try, trying, unreadable,
};
pub use designs::{
    absent_here, absent_note, absent_word, copy_title, design_cut, instants_more, lockstep_head, matrix_cell,
    matrix_summary, points_more, restart, set_title, variants_title,
};
pub use finder::{
    FinderWords, finder, pairs_cut, search_broken, search_cut, search_ended_by_edit, search_none, search_order,
    search_out_of_memory, search_out_of_work, search_progress, search_stage, search_tried,
};
pub use marker::{MenuWords, fault, gutter, marker_kind, marker_label, menu, not_reached, short_place, side};
pub use opening::{
    broken_link, checked, copy_failed, errors_first, folder, link_length, open_first, open_present, refused_rows,
    replace_and_keep, replace_question, shared_text, unknown_preset,
};
pub use state::{
    MessageWhere, ProcessWord, broker_is_like, condition, consumer_group, message_place, rules_of, state_at,
    state_at_end, state_at_start,
};
pub use time::{point, rough_span, span};
pub use timeline::{
    LaneWord, MessageEnd, cut_columns, cut_for, cut_run, down_for, idle_polls, lane, message_life, more, more_findings,
    never_reached, no_points, not_computed, open_points, paused_for, still_running, strikes, summary, unreached_points,
};
