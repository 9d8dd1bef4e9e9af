//! The row of times above the lanes. A press or drag on it moves the play head.
//!
//! Refuses to know: how time is laid out in columns.

use crate::app::message::Message;
use crate::app::view::{Halves, Tick};
use crate::ui::browser::{self, Panes};
use crate::ui::geometry::{self, AXIS, HALF};
use crate::ui::squeeze::squeezed;
use gloo::events::EventListener;
use std::cell::Cell;
use std::rc::Rc;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct AxisProps {
    pub ticks: Rc<[Tick]>,
    pub width: i32,
    pub pane: Panes,
    pub send: Callback<Message>,
}

/// The pointer is down: the position last sent.
struct Hold {
    sent: Cell<Option<Halves>>,
    pane: Panes,
    send: Callback<Message>,
}

impl Hold {
    fn scrub(&self, event: &PointerEvent) {
        let position = geometry::position(self.pane.x(event));
        if self.sent.replace(Some(position)) != Some(position) {
            self.send.emit(Message::Scrub(position));
        }
    }
}

#[component]
pub fn Axis(
    AxisProps {
        ticks,
        width,
        pane,
        send,
    }: &AxisProps,
) -> Html {
    let followed = use_mut_ref(|| None::<[EventListener; 3]>);
    let onpointerdown = {
        let (pane, send) = (pane.clone(), send.clone());
        Callback::from(move |event: PointerEvent| {
            browser::capture(&event);
            pane.hold();
            let hold = Rc::new(Hold {
                sent: Cell::new(None),
                pane: pane.clone(),
                send: send.clone(),
            });
            hold.scrub(&event);
            let end = {
                let (followed, pane) = (followed.clone(), pane.clone());
                Callback::from(move |_: PointerEvent| {
                    pane.release();
                    *followed.borrow_mut() = None;
                })
            };
            let moved = Callback::from(move |event: PointerEvent| hold.scrub(&event));
            let listeners = browser::follow(event.pointer_id(), moved, end.clone(), end);
            *followed.borrow_mut() = Some(listeners);
        })
    };
    html! {
        <div class="axis">
            <div class="lane-name axis-name"></div>
            <svg class="axis-times" width={width.to_string()} height={AXIS.to_string()} aria-hidden="true" {onpointerdown}>
                { for ticks.iter().enumerate().map(|(index, tick)| time(index, tick)) }
            </svg>
        </div>
    }
}

fn time(key: usize, tick: &Tick) -> Html {
    let middle = geometry::x(i32::try_from(tick.column).unwrap_or(0) * 2) + HALF;
    let squeeze = squeezed(&tick.label, 2 * HALF - 4);
    html! {
        <g {key} class={if tick.is_break { "tick tick-break" } else { "tick" }}>
            { for (!tick.title.is_empty()).then(|| html! { <title>{ &tick.title }</title> }) }
            <text x={middle.to_string()} y="12" lengthAdjust={squeeze.is_some().then_some("spacingAndGlyphs")} textLength={squeeze}>{ &tick.label }</text>
        </g>
    }
}
