//! The timeline: the axis, a lane for each party, and what lies over the lanes.
//!
//! Names stay in view while the lanes scroll sideways. Refuses to know: what a marker's move brings.

use crate::app::message::Message;
use crate::app::model::MarkerId;
use crate::app::view::{self, Halves};
use crate::ui::axis::Axis;
use crate::ui::browser;
use crate::ui::geometry;
use crate::ui::lane::Lane;
use crate::ui::nth::Nth;
use crate::ui::overlay::{Bands, Overlay};
use crate::ui::strikes::Strikes;
use crate::words::Language;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct TimelineProps {
    pub language: Language,
    pub timeline: Rc<view::Timeline>,
    pub send: Callback<Message>,
}

#[component]
pub fn Timeline(
    TimelineProps {
        language,
        timeline,
        send,
    }: &TimelineProps,
) -> Html {
    let shapes: Rc<[geometry::Shape]> = geometry::shapes(timeline).into();
    let (width, height) = (geometry::width(timeline), geometry::height(&shapes));
    let pane = (*use_memo((), |()| browser::Panes::default())).clone();
    let pointed = use_state_eq(|| None::<AttrValue>);
    let point = {
        let pointed = pointed.setter();
        use_callback((), move |cell: Option<AttrValue>, ()| pointed.set(cell))
    };
    // The marker one works with stays in view, also when another scenario opens.
    let marker = timeline
        .markers
        .iter()
        .find(|marker| marker.selected)
        .or(timeline.markers.first());
    let moved = {
        let pane = pane.clone();
        move |marker: &Option<(MarkerId, Halves)>| {
            if let Some((_, position)) = marker {
                pane.reveal(*position);
            }
        }
    };
    let place = marker.map(|marker| (marker.id, marker.position));
    use_effect_with(place, moved);
    // A phone that is turned, a window made smaller.
    use_effect_with((place, pane.clone()), |(place, pane)| {
        let (place, pane) = (*place, pane.clone());
        let listener = browser::on_resize(move || {
            if let Some((_, position)) = place {
                pane.reveal(position);
            }
        });
        move || drop(listener)
    });
    html! {
        <div class={classes!("timeline", timeline.dragging.then_some("timeline-dragging"))}>
            <div class="timeline-scroller" id={browser::SCROLLER}>
                <div class="timeline-sheet">
                    <Bands ticks={timeline.ticks.clone()} {width} {height} />
                    <Axis ticks={timeline.ticks.clone()} {width} pane={pane.clone()} {send} />
                    <div class="timeline-lanes">
                        { for Nth::all(&timeline.lanes).zip(shapes.iter()).enumerate().map(|(index, (lane, shape))| html! {
                            <Lane key={index} language={*language} {index} {lane} shape={*shape} {width} {send} point={point.clone()} />
                        }) }
                    </div>
                    <Overlay language={*language} timeline={timeline.clone()} {shapes} {width} {height} {pane} {send} />
                </div>
            </div>
            <div class="timeline-notes">
                <Strikes language={*language} strikes={timeline.strikes.clone()} {send} />
                <p class="summaries" hidden={pointed.is_some()}>{ &timeline.strikes.count }</p>
                <p class="pointed" hidden={pointed.is_none()}>{ (*pointed).clone().unwrap_or_default() }</p>
            </div>
            <p class="timeline-cut" hidden={timeline.cut.is_none()}>{ timeline.cut.clone().unwrap_or_default() }</p>
        </div>
    }
}
