//! What goes between the page and the one who searches, as lists of plain texts: both are the same program, but what a worker
//! is sent is copied by the browser.
//!
//! Refuses to know: how it is sent.

use super::Worth;
use crate::language::edit;
use crate::program::{Fault, Kind};
use crate::search::{FaultKind, Progress};
use std::rc::Rc;

/// What is to be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Its faults stand in every run.
    pub text: Rc<str>,
    pub kinds: Vec<FaultKind>,
    pub faults_max: usize,
    pub orders: bool,
    /// Every set is tried and reported; else it ends with the first that breaks a promise.
    pub whole: bool,
}

/// What is new since the last time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    pub progress: Progress,
    /// Faults that had not been tried before; they are numbered from 0 in the sequence of all news.
    pub faults: Vec<Fault>,
    /// Sets of faults by their numbers. Of a whole search only.
    pub sets: Vec<(Vec<usize>, Worth)>,
    pub answer: Option<Came>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// The smallest set that breaks a promise; an empty one if none is needed.
    Broken(Vec<usize>),
    None {
        up_to: usize,
    },
    /// All were tried, and some break a promise.
    Tried {
        up_to: usize,
    },
    /// Its budget of work is used up.
    OutOfWork,
    /// Its memory is used up.
    OutOfMemory,
}

impl Ask {
    pub fn pack(&self) -> Vec<String> {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        vec![
            self.text.to_string(),
            kinds.join(" "),
            self.faults_max.to_string(),
            self.orders.to_string(),
            self.whole.to_string(),
        ]
    }

    /// None: it was not packed by this program.
    pub fn unpack(packed: &[String]) -> Option<Ask> {
        let [text, kinds, faults_max, orders, whole] = packed else {
            return None;
        };
        Some(Ask {
            text: text.as_str().into(),
            kinds: kinds.split_whitespace().filter_map(FaultKind::named).collect(),
            faults_max: faults_max.parse().ok()?,
            orders: orders.parse().ok()?,
            whole: whole.parse().ok()?,
        })
    }
}

impl News {
    /// Later news behind these.
    pub fn join(&mut self, later: News) {
        self.progress = later.progress;
        self.faults.extend(later.faults);
        self.sets.extend(later.sets);
        self.answer = later.answer;
    }

    pub fn pack(&self) -> Vec<String> {
        let faults: Vec<String> = self.faults.iter().map(Fault::to_string).collect();
        let set = |(set, worth): &(Vec<usize>, Worth)| format!("{} {}", worth_number(*worth), numbers(set));
        let sets: Vec<String> = self.sets.iter().map(set).collect();
        let answer = match &self.answer {
            None => String::new(),
            Some(Came::Broken(set)) => format!("broken {}", numbers(set)),
            Some(Came::None { up_to }) => format!("none {up_to}"),
            Some(Came::Tried { up_to }) => format!("tried {up_to}"),
            Some(Came::OutOfWork) => "work".to_owned(),
            Some(Came::OutOfMemory) => "memory".to_owned(),
        };
        vec![
            pack_progress(&self.progress),
            faults.join("\n"),
            sets.join("\n"),
            answer,
        ]
    }

    /// None: it was not packed by this program.
    pub fn unpack(packed: &[String]) -> Option<News> {
        let [progress, faults, sets, answer] = packed else {
            return None;
        };
        let faults = edit::fault_lines(faults).into_iter().map(|line| line.fault);
        Some(News {
            progress: unpack_progress(progress)?,
            faults: faults.collect(),
            sets: sets.lines().map(unpack_set).collect::<Option<_>>()?,
            answer: unpack_answer(answer)?,
        })
    }
}

fn numbers(set: &[usize]) -> String {
    let numbers: Vec<String> = set.iter().map(usize::to_string).collect();
    numbers.join(" ")
}

fn unpack_numbers<'a>(words: impl Iterator<Item = &'a str>) -> Option<Vec<usize>> {
    words.map(|word| word.parse().ok()).collect()
}

fn pack_progress(progress: &Progress) -> String {
    let Progress {
        faults,
        done,
        of,
        sets,
        broken,
        cut,
        runs,
        recognised,
    } = progress;
    format!("{faults} {done} {of} {sets} {broken} {cut} {runs} {recognised}")
}

fn unpack_progress(packed: &str) -> Option<Progress> {
    let numbers: Option<Vec<u64>> = packed.split_whitespace().map(|word| word.parse().ok()).collect();
    let [faults, done, of, sets, broken, cut, runs, recognised] = *numbers?.as_slice() else {
        return None;
    };
    Some(Progress {
        faults: usize::try_from(faults).ok()?,
        done,
        of,
        sets,
        broken,
        cut,
        runs,
        recognised,
    })
}

/// A number: there may be thousands of sets at a time.
fn worth_number(worth: Worth) -> usize {
    match worth {
        Worth::Healthy => 0,
        Worth::Cut => 1,
        Worth::Broken(kind) => 2 + kind as usize,
    }
}

fn worth_of(number: usize) -> Option<Worth> {
    match number {
        0 => Some(Worth::Healthy),
        1 => Some(Worth::Cut),
        broken => Kind::ALL.get(broken - 2).copied().map(Worth::Broken),
    }
}

/// A line of numbers: what the set is worth, then its faults.
fn unpack_set(line: &str) -> Option<(Vec<usize>, Worth)> {
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let worth = worth_of(words.next()?.parse().ok()?)?;
    Some((unpack_numbers(words)?, worth))
}

fn unpack_answer(packed: &str) -> Option<Option<Came>> {
    let mut words = packed.split_whitespace();
    let Some(first) = words.next() else {
        return Some(None);
    };
    Some(Some(match first {
        "broken" => Came::Broken(unpack_numbers(words)?),
        "none" => Came::None {
            up_to: words.next()?.parse().ok()?,
        },
        "tried" => Came::Tried {
            up_to: words.next()?.parse().ok()?,
        },
        "work" => Came::OutOfWork,
        "memory" => Came::OutOfMemory,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_arrives() {
        let ask = Ask {
            text: "scenario T\n  a line\n".into(),
            kinds: vec![FaultKind::Crash, FaultKind::LoseReply],
            faults_max: 3,
            orders: true,
            whole: false,
        };
        assert_eq!(Ask::unpack(&ask.pack()), Some(ask));
        assert_eq!(Ask::unpack(&["scenario T".to_owned()]), None);
    }

    #[test]
    fn news_of_every_worth_arrive() {
        let lines = "crash after Shop.commit.1 restart 5s\nlose reply Shop.commit.1\n";
        let faults = edit::fault_lines(lines).into_iter().map(|line| line.fault).collect();
        let mut sets: Vec<(Vec<usize>, Worth)> = vec![(vec![], Worth::Healthy), (vec![1], Worth::Cut)];
        sets.extend(Kind::ALL.map(|kind| (vec![0, 1], Worth::Broken(kind))));
        for answer in [
            None,
            Some(Came::Broken(vec![])),
            Some(Came::Broken(vec![0, 1])),
            Some(Came::None { up_to: 2 }),
            Some(Came::Tried { up_to: 3 }),
            Some(Came::OutOfWork),
            Some(Came::OutOfMemory),
        ] {
            let news = News {
                progress: Progress {
                    faults: 2,
                    done: 3,
                    of: 4,
                    sets: 5,
                    broken: 6,
                    cut: 7,
                    runs: 8,
                    recognised: 9,
                },
                faults: Vec::clone(&faults),
                sets: sets.clone(),
                answer,
            };
            assert_eq!(News::unpack(&news.pack()), Some(news));
        }
        assert_eq!(News::unpack(&["1 2 3", "", "", ""].map(str::to_owned)), None);
    }
}
