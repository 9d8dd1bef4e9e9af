//! Where things stand on the timeline, in CSS pixels.
//!
//! Refuses to know: what stands there. Sideways the view model counts in half columns; downwards this file decides.

use crate::app::view::{Halves, Lane, LaneKind, Timeline};

/// Width of half a column: a column is 44 pixels, the smallest good touch target.
pub const HALF: i32 = 22;
/// Room left of the first column and right of the last, so that what stands on the border is not cut.
pub const MARGIN: i32 = 26;
/// Height of the row of times above the lanes.
pub const AXIS: i32 = 26;
/// Height of a block.
pub const BLOCK: i32 = 34;
/// Height of one row of messages.
pub const BAR: i32 = 18;
/// Height of a strip's cells.
pub const CELL: i32 = 26;
/// Diameter of a marker's visible handle.
pub const HANDLE: i32 = 24;
/// Free space above and below a lane's content, and between its parts.
const GAP: i32 = 4;

/// Distance from the left end of a lane's drawing.
pub fn x(position: Halves) -> i32 {
    MARGIN + position * HALF
}

/// The position under a distance from the left end of a lane's drawing.
pub fn position(x: f64) -> Halves {
    // Rounded to whole half columns; a pointer far outside saturates, which the model clamps.
    ((x - f64::from(MARGIN)) / f64::from(HALF)).round() as Halves
}

/// Width of every lane's drawing.
pub fn width(timeline: &Timeline) -> i32 {
    2 * MARGIN + i32::try_from(timeline.columns).unwrap_or(i32::MAX / 64) * 2 * HALF
}

/// Where the parts of one lane are, measured from the lane's own top edge. Parts that a lane lacks have no height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Distance of the lane's top edge from the top of the axis.
    pub top: i32,
    pub height: i32,
    /// Middle of the markers' handles.
    pub handles: i32,
    /// Top edge of the blocks.
    pub blocks: i32,
    /// Top edge of the first row of messages.
    pub bars: i32,
    /// Top edge of the strip, or of where it would be.
    pub strip: i32,
    /// Where arrows touch the lane from above and from below.
    pub touch: (i32, i32),
}

/// The shapes of all lanes, from top to bottom.
pub fn shapes(timeline: &Timeline) -> Vec<Shape> {
    let mut top = AXIS;
    let mut shapes = Vec::with_capacity(timeline.lanes.len());
    for (index, lane) in timeline.lanes.iter().enumerate() {
        let marked = timeline.markers.iter().any(|marker| marker.lane == index);
        let shape = shape(lane, marked, top);
        top += shape.height;
        shapes.push(shape);
    }
    shapes
}

fn shape(lane: &Lane, marked: bool, top: i32) -> Shape {
    let mut next = GAP;
    let mut take = |height: i32| {
        let start = next;
        if height > 0 {
            next += height + GAP;
        }
        start
    };
    let handles = take(if marked || lane.kind == LaneKind::Instance {
        HANDLE
    } else {
        0
    });
    let has_blocks = lane.kind != LaneKind::Queue || !lane.blocks.is_empty();
    let blocks = take(if has_blocks { BLOCK } else { 0 });
    let rows = i32::try_from(lane.rows).unwrap_or(1);
    let bars = take(if lane.kind == LaneKind::Queue { rows * BAR } else { 0 });
    let touch = if lane.kind == LaneKind::Queue {
        (bars, bars + rows * BAR)
    } else {
        (blocks, blocks + BLOCK)
    };
    let strip = take(if lane.strip.is_some() { CELL } else { 0 });
    Shape {
        top,
        height: next,
        handles: handles + HANDLE / 2,
        blocks,
        bars,
        strip,
        touch,
    }
}

/// Height of the axis and all lanes.
pub fn height(shapes: &[Shape]) -> i32 {
    shapes.last().map_or(AXIS, |last| last.top + last.height)
}
