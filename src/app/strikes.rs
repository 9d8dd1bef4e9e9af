//! What strikes: the sort of fault that the strips speak of, and where it can fall.
//!
//! Refuses to know: runs, positions, words.

use crate::app::fault::{self, Place};
use crate::app::model::MarkerKind;
use crate::program::{Fault, Moment, Point, Program, RESTART_DEFAULT, Side, Visits};
use crate::search::FaultKind;
use crate::simulation::trace::Reach;
use crate::value::Name;

/// One sort of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strikes {
    pub kind: MarkerKind,
    /// It strikes while a request is on its way, not between two steps.
    pub during: bool,
    /// Of a down time or a cut: who is down, or whom the process cannot reach.
    pub party: Option<Name>,
}

/// Where such faults can fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Falls {
    /// Between two steps.
    Gaps,
    /// Upon a process whose request is on its way.
    During,
    /// Upon a request or its answer.
    Steps,
}

impl Strikes {
    pub const CRASH: Strikes = Strikes {
        kind: MarkerKind::Crash,
        during: false,
        party: None,
    };

    /// Those to choose from: every kind, and for each party that it is down or cut off.
    pub fn all(program: &Program) -> Vec<Strikes> {
        let mut all = vec![Strikes::CRASH];
        all.push(Strikes {
            during: true,
            ..Strikes::CRASH
        });
        let others = MarkerKind::ON_STEPS.into_iter().skip(1);
        all.extend(others.map(|kind| Strikes { kind, ..Strikes::CRASH }));
        let databases = program.databases.iter().map(|database| &database.name);
        let brokers = program.brokers.iter().map(|broker| &broker.name);
        let outsides = program.outsides.iter().map(|outside| &outside.record.name);
        let parties: Vec<&Name> = databases.chain(brokers).chain(outsides).collect();
        for kind in [MarkerKind::Down, MarkerKind::Cut] {
            all.extend(parties.iter().map(|party| Strikes {
                kind,
                during: false,
                party: Some(Name::clone(party)),
            }));
        }
        all
    }

    /// The sort of a fault; none for one that comes at a time.
    pub fn of(fault: &Fault) -> Option<Strikes> {
        let place = fault::place(fault);
        let step = place.step()?;
        let party = match fault {
            Fault::Down(party, ..) => Some(party.clone()),
            Fault::Cut(one, other, ..) if *one == step.service => Some(other.clone()),
            Fault::Cut(one, ..) => Some(one.clone()),
            _ => None,
        };
        Some(Strikes {
            kind: fault::kind(fault),
            during: fault::side(fault) == Some(Side::During),
            party,
        })
    }

    /// As the page's select and tests know it: "crash-during", "down rabbit".
    pub fn value(&self) -> String {
        let during = if self.during { "-during" } else { "" };
        let kind = self.kind.slug();
        match &self.party {
            Some(party) => format!("{kind}{during} {party}"),
            None => format!("{kind}{during}"),
        }
    }

    pub fn falls(&self) -> Falls {
        match self.kind {
            MarkerKind::LoseRequest | MarkerKind::LoseReply | MarkerKind::Refuse | MarkerKind::Delay => Falls::Steps,
            _ if self.during => Falls::During,
            _ => Falls::Gaps,
        }
    }

    /// Whether a visit can be struck.
    pub fn reaches(&self, reach: Reach) -> bool {
        match self.kind {
            MarkerKind::LoseReply => FaultKind::LoseReply.reaches(reach),
            MarkerKind::LoseRequest | MarkerKind::Refuse | MarkerKind::Delay => FaultKind::LoseRequest.reaches(reach),
            _ => FaultKind::CrashDuring.reaches(reach),
        }
    }

    /// Such a fault at a place, as a menu would make it; none if it cannot fall there.
    pub fn at(&self, place: &Place) -> Option<Fault> {
        match (place, self.falls()) {
            (Place::Point(point), Falls::Gaps | Falls::During) => self.at_point(point),
            (Place::Step(step), Falls::Steps) => {
                let visits = Visits {
                    first: step.clone(),
                    and_all_later: false,
                };
                Some(match self.kind {
                    MarkerKind::LoseRequest => Fault::LoseRequest(visits),
                    MarkerKind::LoseReply => Fault::LoseReply(visits),
                    MarkerKind::Refuse => Fault::Refuse(visits),
                    _ => Fault::Delay(visits, fault::DURATION_DEFAULT),
                })
            }
            _ => None,
        }
    }

    fn at_point(&self, point: &Point) -> Option<Fault> {
        let (point, lasts) = (point.clone(), fault::DURATION_DEFAULT);
        Some(match self.kind {
            MarkerKind::Pause => Fault::Pause(point, lasts),
            MarkerKind::Down => Fault::Down(self.party.clone()?, Moment::Point(point), lasts),
            MarkerKind::Cut => {
                let service = point.step.service.clone();
                Fault::Cut(service, self.party.clone()?, Moment::Point(point), lasts)
            }
            _ => Fault::Crash(point, Some(RESTART_DEFAULT)),
        })
    }
}

impl From<FaultKind> for Strikes {
    /// Of whichever party, where it needs one.
    fn from(kind: FaultKind) -> Strikes {
        Strikes {
            kind: match kind {
                FaultKind::Crash | FaultKind::CrashDuring => MarkerKind::Crash,
                FaultKind::Pause => MarkerKind::Pause,
                FaultKind::LoseRequest => MarkerKind::LoseRequest,
                FaultKind::LoseReply => MarkerKind::LoseReply,
                FaultKind::Refuse => MarkerKind::Refuse,
                FaultKind::Delay => MarkerKind::Delay,
                FaultKind::Down => MarkerKind::Down,
                FaultKind::Cut => MarkerKind::Cut,
            },
            during: kind == FaultKind::CrashDuring,
            party: None,
        }
    }
}
