//! A fault line as a marker: its kind, its place, and the same fault elsewhere or otherwise.
//!
//! Refuses to know: runs, positions, words.

use crate::app::model::MarkerKind;
use crate::program::{
    Destination, Fault, Instruction, Moment, Point, Program, RESTART_DEFAULT, Request, Side, StepName, Visits,
};
pub(in crate::app) use crate::simulation::DURATION_DEFAULT;
use crate::value::{Millis, Name};

/// Where a fault strikes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A gap, or on the way to an effect.
    Point(Point),
    /// A request, its answer, its arrival.
    Step(StepName),
    At(Millis),
}

impl Place {
    /// The step it is named after.
    pub fn step(&self) -> Option<&StepName> {
        match self {
            Place::Point(point) => Some(&point.step),
            Place::Step(step) => Some(step),
            Place::At(_) => None,
        }
    }
}

pub fn kind(fault: &Fault) -> MarkerKind {
    match fault {
        Fault::Crash(..) => MarkerKind::Crash,
        Fault::Pause(..) => MarkerKind::Pause,
        Fault::LoseRequest(_) => MarkerKind::LoseRequest,
        Fault::LoseReply(_) => MarkerKind::LoseReply,
        Fault::Refuse(_) => MarkerKind::Refuse,
        Fault::Delay(..) => MarkerKind::Delay,
        Fault::Down(..) => MarkerKind::Down,
        Fault::Cut(..) => MarkerKind::Cut,
    }
}

pub fn place(fault: &Fault) -> Place {
    match fault {
        Fault::Crash(point, _) | Fault::Pause(point, _) => Place::Point(point.clone()),
        Fault::LoseRequest(visits) | Fault::LoseReply(visits) | Fault::Refuse(visits) | Fault::Delay(visits, _) => {
            Place::Step(visits.first.clone())
        }
        Fault::Down(_, moment, _) | Fault::Cut(_, _, moment, _) => match moment {
            Moment::At(at) => Place::At(*at),
            Moment::Point(point) => Place::Point(point.clone()),
        },
    }
}

/// The same fault at another place. A place of another sort is turned into the fault's own (a gap's step, a step's end).
pub fn moved(fault: &Fault, to: &Place) -> Fault {
    let point = || as_point(to);
    let mut fault = fault.clone();
    match &mut fault {
        Fault::Crash(own, _) | Fault::Pause(own, _) => {
            if let Some(point) = point() {
                *own = point;
            }
        }
        Fault::LoseRequest(visits) | Fault::LoseReply(visits) | Fault::Refuse(visits) | Fault::Delay(visits, _) => {
            if let Some(step) = to.step() {
                visits.first = step.clone();
            }
        }
        Fault::Down(_, moment, _) | Fault::Cut(_, _, moment, _) => match (to, point()) {
            (Place::At(at), _) => *moment = Moment::At(*at),
            (_, Some(point)) => *moment = Moment::Point(point),
            (_, None) => {}
        },
    }
    fault
}

fn as_point(place: &Place) -> Option<Point> {
    match place {
        Place::Point(point) => Some(point.clone()),
        Place::Step(step) => Some(Point {
            side: Side::After,
            step: step.clone(),
        }),
        Place::At(_) => None,
    }
}

/// The same place with a fault of another kind; none if the kind makes no sense there.
pub fn changed(fault: &Fault, kind: MarkerKind, program: &Program) -> Option<Fault> {
    let place = place(fault);
    let step = place.step()?.clone();
    let visits = || Visits {
        first: step.clone(),
        and_all_later: false,
    };
    let point = as_point(&place)?;
    let duration = duration(fault).unwrap_or(DURATION_DEFAULT);
    Some(match kind {
        MarkerKind::Crash => Fault::Crash(point, Some(RESTART_DEFAULT)),
        MarkerKind::Pause => Fault::Pause(point, duration),
        MarkerKind::LoseRequest => Fault::LoseRequest(visits()),
        MarkerKind::LoseReply => Fault::LoseReply(visits()),
        MarkerKind::Refuse => Fault::Refuse(visits()),
        MarkerKind::Delay => Fault::Delay(visits(), duration),
        MarkerKind::Down => Fault::Down(party(program, &step)?, Moment::Point(point), duration),
        MarkerKind::Cut => Fault::Cut(
            step.service.clone(),
            party(program, &step)?,
            Moment::Point(point),
            duration,
        ),
    })
}

/// The same fault on another side of its step; none for kinds without sides.
pub fn on_side(fault: &Fault, side: Side) -> Option<Fault> {
    match place(fault) {
        Place::Point(point) => Some(moved(fault, &Place::Point(Point { side, ..point }))),
        Place::Step(_) | Place::At(_) => None,
    }
}

pub fn side(fault: &Fault) -> Option<Side> {
    match place(fault) {
        Place::Point(point) => Some(point.side),
        Place::Step(_) | Place::At(_) => None,
    }
}

/// How long a pause, delay, down time or cut lasts.
pub fn duration(fault: &Fault) -> Option<Millis> {
    match fault {
        Fault::Pause(_, time) | Fault::Delay(_, time) | Fault::Down(_, _, time) | Fault::Cut(_, _, _, time) => {
            Some(*time)
        }
        _ => None,
    }
}

/// The same fault for another time; none for kinds without one.
pub fn lasting(fault: &Fault, duration: Millis) -> Option<Fault> {
    let mut fault = fault.clone();
    match &mut fault {
        Fault::Pause(_, time) | Fault::Delay(_, time) | Fault::Down(_, _, time) | Fault::Cut(_, _, _, time) => {
            *time = duration
        }
        _ => return None,
    }
    Some(fault)
}

/// The same crash with another restart time; none for other kinds.
pub fn restarting(fault: &Fault, restart: Option<Millis>) -> Option<Fault> {
    match fault {
        Fault::Crash(point, _) => Some(Fault::Crash(point.clone(), restart)),
        _ => None,
    }
}

pub fn all_later(fault: &Fault) -> Option<bool> {
    match fault {
        Fault::LoseRequest(visits) | Fault::LoseReply(visits) | Fault::Refuse(visits) | Fault::Delay(visits, _) => {
            Some(visits.and_all_later)
        }
        _ => None,
    }
}

/// The same fault at this visit only, or at it and all later ones; none for kinds that strike once.
pub fn repeated(fault: &Fault, all: bool) -> Option<Fault> {
    let mut fault = fault.clone();
    match &mut fault {
        Fault::LoseRequest(visits) | Fault::LoseReply(visits) | Fault::Refuse(visits) | Fault::Delay(visits, _) => {
            visits.and_all_later = all;
        }
        _ => return None,
    }
    Some(fault)
}

/// The database, broker or outside party that a step asks.
pub fn party(program: &Program, step: &StepName) -> Option<Name> {
    let service = program.services.iter().find(|service| service.name == step.service)?;
    let request = service.code.iter().find_map(|instruction| match instruction {
        Instruction::Step {
            step: index, request, ..
        } if service.steps.get(usize::from(*index)) == Some(&step.step) => Some(request),
        _ => None,
    })?;
    match request {
        Request::Sql { database, .. } => Some(program.databases.get(usize::from(*database))?.name.clone()),
        Request::Publish {
            destination: Destination::Queue(queue),
            ..
        } => broker(program, *queue),
        Request::Publish {
            destination: Destination::Topic(topic),
            ..
        } => {
            let topic = program.topics.get(usize::from(*topic))?;
            Some(program.brokers.get(usize::from(topic.broker))?.name.clone())
        }
        Request::Redrive { from, .. } => broker(program, *from),
        Request::CallOutside { outside, .. } => Some(program.outsides.get(usize::from(*outside))?.record.name.clone()),
        // Which queue a handle belongs to is known only in a run; one broker leaves no choice.
        Request::Ack(_) | Request::Nack { .. } | Request::Extend { .. } => match program.brokers.as_slice() {
            [only] => Some(only.name.clone()),
            _ => None,
        },
        Request::Transaction { broker, .. } => Some(program.brokers.get(usize::from(*broker))?.name.clone()),
        Request::CallService { .. } | Request::Confirm(_) | Request::Sleep(_) => None,
    }
}

fn broker(program: &Program, queue: u16) -> Option<Name> {
    let queue = program.queues.get(usize::from(queue))?;
    Some(program.brokers.get(usize::from(queue.broker))?.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str) -> StepName {
        StepName {
            service: "Shop".into(),
            instance: 1,
            step: name.into(),
            visit: 1,
        }
    }

    fn after(name: &str) -> Place {
        Place::Point(Point {
            side: Side::After,
            step: step(name),
        })
    }

    #[test]
    fn a_moved_crash_keeps_its_restart_time() {
        let Place::Point(point) = after("begin") else {
            unreachable!("made as a point")
        };
        let fault = Fault::Crash(point, Some(1_000));
        let there = moved(&fault, &after("commit"));
        assert_eq!(place(&there), after("commit"));
        assert!(matches!(there, Fault::Crash(_, Some(1_000))));
    }

    #[test]
    fn a_lost_reply_moves_to_the_step_of_a_gap() {
        let fault = Fault::LoseReply(Visits {
            first: step("begin"),
            and_all_later: true,
        });
        let there = moved(&fault, &after("commit"));
        assert_eq!(place(&there), Place::Step(step("commit")));
        assert_eq!(all_later(&there), Some(true));
    }

    #[test]
    fn sides_times_and_repetition_belong_to_their_kinds_only() {
        let lost = Fault::LoseReply(Visits {
            first: step("begin"),
            and_all_later: false,
        });
        assert_eq!(on_side(&lost, Side::During), None);
        assert_eq!(lasting(&lost, 1), None);
        assert_eq!(restarting(&lost, None), None);
        let down = Fault::Down("rabbit".into(), Moment::At(5), 10);
        assert_eq!(
            lasting(&down, 20),
            Some(Fault::Down("rabbit".into(), Moment::At(5), 20))
        );
        assert_eq!(repeated(&down, true), None);
    }
}
