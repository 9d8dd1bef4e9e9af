//! The row of times above the lanes. A press or drag on it moves the play head.
//!
//! Refuses to know: how time is laid out in columns.

use crate::app::message::Message;
use crate::app::view::{Halves, Tick};
use crate::ui::browser;
use crate::ui::geometry::{self, AXIS, HALF};
use crate::ui::squeeze::squeezed;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct AxisProps {
    pub ticks: Rc<[Tick]>,
    pub width: i32,
    pub send: Callback<Message>,
}

#[component]
pub fn Axis(AxisProps { ticks, width, send }: &AxisProps) -> Html {
    // The last position sent while the pointer is down.
    let scrubbing = use_mut_ref(|| None::<Halves>);
    let scrub = {
        let (scrubbing, send) = (scrubbing.clone(), send.clone());
        move |event: &PointerEvent, begin: bool| {
            let mut last = scrubbing.borrow_mut();
            let position = geometry::position(browser::timeline_x(event));
            if (begin || last.is_some()) && *last != Some(position) {
                *last = Some(position);
                send.emit(Message::Scrub(position));
            }
        }
    };
    let onpointerdown = {
        let scrub = scrub.clone();
        Callback::from(move |event: PointerEvent| {
            browser::capture(&event);
            scrub(&event, true);
        })
    };
    let onpointermove = Callback::from(move |event: PointerEvent| scrub(&event, false));
    let end = Callback::from(move |_: PointerEvent| *scrubbing.borrow_mut() = None);
    html! {
        <div class="axis">
            <div class="lane-name axis-name"></div>
            <svg class="axis-times" width={width.to_string()} height={AXIS.to_string()} aria-hidden="true"
                {onpointerdown} {onpointermove} onpointerup={end.clone()} onpointercancel={end}>
                { for ticks.iter().enumerate().map(|(index, tick)| time(index, tick)) }
            </svg>
        </div>
    }
}

fn time(key: usize, tick: &Tick) -> Html {
    let middle = geometry::x(i32::try_from(tick.column).unwrap_or(0) * 2) + HALF;
    html! {
        <g {key} class={if tick.is_break { "tick tick-break" } else { "tick" }}>
            <title>{ &tick.title }</title>
            <text x={middle.to_string()} y="12" text-anchor="middle" textLength={squeezed(&tick.label, 2 * HALF - 4)}
                lengthAdjust="spacingAndGlyphs">{ &tick.label }</text>
        </g>
    }
}
