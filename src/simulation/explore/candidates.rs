//! Where a fault can strike next: the places that one turn of the kernel came by, and the faults that fit there.

use super::super::canonical::party_name;
use super::super::kernel::Recorder;
use super::super::trace::{Event, Gap, InstanceId, Party, Reach, Visit};
use crate::fact::EventId;
use crate::program::{Fault, Moment, Point, Program, RESTART_DEFAULT, Side, StepName, Visits};
use crate::value::{Millis, Name};

/// How long a pause, a delay, a down time or a cut lasts that nobody has said a time for.
pub const DURATION_DEFAULT: Millis = 30_000;

/// What strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// The process dies in a gap and is started again after [`RESTART_DEFAULT`].
    Crash,
    /// The same while a request is under way.
    CrashDuring,
    Pause,
    LoseRequest,
    LoseReply,
    Refuse,
    Delay,
    /// A database, broker or outside party goes down right before a request to it.
    Down,
    /// A service and the party of its next request cannot reach each other any more.
    Cut,
}

impl FaultKind {
    pub const ALL: [FaultKind; 9] = [
        FaultKind::Crash,
        FaultKind::CrashDuring,
        FaultKind::Pause,
        FaultKind::LoseRequest,
        FaultKind::LoseReply,
        FaultKind::Refuse,
        FaultKind::Delay,
        FaultKind::Down,
        FaultKind::Cut,
    ];

    /// As the command line and links write it.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Crash => "crash",
            FaultKind::CrashDuring => "crash-during",
            FaultKind::Pause => "pause",
            FaultKind::LoseRequest => "lose-request",
            FaultKind::LoseReply => "lose-reply",
            FaultKind::Refuse => "refuse",
            FaultKind::Delay => "delay",
            FaultKind::Down => "down",
            FaultKind::Cut => "cut",
        }
    }

    /// The kind of that [`name`](FaultKind::name).
    pub fn named(name: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The fault of this kind in a gap; none if it is named after a request.
    fn in_gap(self, point: &Point) -> Option<Fault> {
        match self {
            FaultKind::Crash => Some(Fault::Crash(point.clone(), Some(RESTART_DEFAULT))),
            FaultKind::Pause => Some(Fault::Pause(point.clone(), DURATION_DEFAULT)),
            _ => None,
        }
    }

    /// Whether it can strike a visit: some ask nobody, of some nobody waits for the answer, some count only from it.
    pub fn reaches(self, reach: Reach) -> bool {
        match self {
            FaultKind::Crash | FaultKind::Pause => false,
            FaultKind::LoseReply => matches!(reach, Reach::Whole | Reach::Answer),
            FaultKind::LoseRequest | FaultKind::Refuse | FaultKind::Delay => {
                matches!(reach, Reach::Whole | Reach::Renewal)
            }
            FaultKind::CrashDuring => matches!(reach, Reach::Whole | Reach::Local),
            // Those strike in the gap before.
            FaultKind::Down | FaultKind::Cut => matches!(reach, Reach::Whole),
        }
    }

    /// The fault of this kind that strikes a request, which follows a gap; none if it cannot.
    fn at_request(self, program: &Program, request: &Request, gap: &Point) -> Option<Fault> {
        if !self.reaches(request.reach) {
            return None;
        }
        let visits = || Visits {
            first: request.step.clone(),
            and_all_later: false,
        };
        let moment = || Moment::Point(gap.clone());
        let party = request.party;
        let passive = party.filter(|party| !matches!(party, Party::Service(_)));
        match self {
            FaultKind::Crash | FaultKind::Pause => None,
            FaultKind::CrashDuring => {
                let point = Point {
                    side: Side::During,
                    step: request.step.clone(),
                };
                Some(Fault::Crash(point, Some(RESTART_DEFAULT)))
            }
            FaultKind::LoseRequest => Some(Fault::LoseRequest(visits())),
            FaultKind::LoseReply => Some(Fault::LoseReply(visits())),
            FaultKind::Refuse => Some(Fault::Refuse(visits())),
            FaultKind::Delay => Some(Fault::Delay(visits(), DURATION_DEFAULT)),
            FaultKind::Down => {
                passive.map(|party| Fault::Down(Name::from(party_name(program, party)), moment(), DURATION_DEFAULT))
            }
            FaultKind::Cut => party.map(|party| {
                let other = Name::from(party_name(program, party));
                Fault::Cut(request.step.service.clone(), other, moment(), DURATION_DEFAULT)
            }),
        }
    }
}

/// A visit by its name.
struct Request {
    step: StepName,
    reach: Reach,
    party: Option<Party>,
}

enum Place {
    Gap(Gap),
    Visit(Visit),
}

/// Keeps the places that a turn comes by, in sequence.
#[derive(Default)]
pub(super) struct Places(Vec<Place>);

impl Places {
    /// The faults of these kinds that could have struck, in sequence: gap by gap, then at the request that followed.
    pub(super) fn candidates(&mut self, program: &Program, kinds: &[FaultKind]) -> Vec<Fault> {
        let mut gaps: Vec<Gap> = Vec::new();
        let mut found = Vec::new();
        for place in self.0.drain(..) {
            match place {
                Place::Gap(gap) => {
                    found.extend(kinds.iter().filter_map(|kind| kind.in_gap(&gap.point)));
                    gaps.push(gap);
                }
                Place::Visit(visit) => {
                    let Some(request) = named(program, visit) else { continue };
                    let before = gaps.iter().rev().find(|gap| gap.instance == visit.instance);
                    let before = before.map_or_else(
                        || Point {
                            side: Side::Before,
                            step: request.step.clone(),
                        },
                        |gap| gap.point.clone(),
                    );
                    found.extend(
                        kinds
                            .iter()
                            .filter_map(|kind| kind.at_request(program, &request, &before)),
                    );
                }
            }
        }
        found
    }
}

fn named(program: &Program, visit: Visit) -> Option<Request> {
    let mut before: InstanceId = 0;
    let service = program.services.iter().find(|service| {
        before += service.instances;
        visit.instance < before
    })?;
    Some(Request {
        step: StepName {
            service: service.name.clone(),
            instance: service.instances - (before - visit.instance) + 1,
            step: service.steps.get(usize::from(visit.step))?.clone(),
            visit: visit.visit,
        },
        reach: visit.reach,
        party: visit.party,
    })
}

impl Recorder for Places {
    fn event(&mut self, _: Event) {}
    fn replied(&mut self, _: EventId, _: Millis) {}
    fn idle(&mut self, _: EventId, _: u32, _: Millis) {}
    fn gap(&mut self, gap: Gap) {
        self.0.push(Place::Gap(gap));
    }
    fn next(&mut self, _: InstanceId, _: &Name, _: u32) {}
    fn visit(&mut self, visit: Visit) {
        self.0.push(Place::Visit(visit));
    }
}
