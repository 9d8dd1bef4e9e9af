//! A fingerprint of a state: 128 bits that equal states share and different ones, for all practical purposes, do not.
//!
//! Instants are taken relative to one of them, sessions by their place in a list, and deliveries by how long ago they were, so
//! that states that differ in nothing but when they came about are equal. Not cryptographic: nobody chooses states to collide.
//! Refuses to know: what has a state.

use crate::value::{Millis, Row, Value};
use std::fmt;

/// Odd constants with well-mixed bits (the golden ratio, and those of MurmurHash3's finalizer).
const MIX: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53];

/// From where a state's instants and numbers count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference<'a> {
    /// The instant that counts as 0.
    pub origin: Millis,
    /// The known sessions in the sequence that counts.
    pub sessions: &'a [u32],
    /// How many deliveries each queue has made.
    pub deliveries: &'a [u32],
    /// How many handles of asynchronous publishes have been given out.
    pub handles: u32,
}

/// Takes down a state, piece by piece.
#[derive(Clone, Debug)]
pub struct Fingerprint<'a> {
    state: (u64, u64),
    reference: Reference<'a>,
}

impl<'a> Fingerprint<'a> {
    pub fn new(reference: Reference<'a>) -> Fingerprint<'a> {
        Fingerprint {
            state: (MIX[1], MIX[2]),
            reference,
        }
    }

    /// The instant that counts as 0.
    pub fn origin(&self) -> Millis {
        self.reference.origin
    }

    /// One of the same kind that has taken down nothing yet.
    pub fn apart(&self) -> Fingerprint<'a> {
        Fingerprint::new(self.reference)
    }

    pub fn finish(&self) -> (u64, u64) {
        let (a, b) = self.state;
        (mixed(a ^ b.rotate_left(32)), mixed(b ^ a.rotate_left(17)))
    }

    pub fn number(&mut self, number: impl Into<u64>) {
        let number: u64 = number.into();
        let (a, b) = self.state;
        self.state = (
            (a ^ number).wrapping_mul(MIX[0]).rotate_left(29),
            (b.wrapping_add(number) ^ (b >> 31)).wrapping_mul(MIX[1]),
        );
    }

    pub fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    pub fn integer(&mut self, integer: i64) {
        self.number(integer.cast_unsigned());
    }

    pub fn flag(&mut self, flag: bool) {
        self.number(u64::from(flag));
    }

    /// An instant, by its distance from the origin.
    pub fn instant(&mut self, at: Millis) {
        self.integer(at.saturating_sub(self.reference.origin));
    }

    /// A session by its place in the list; one that is not in it by its number.
    pub fn session(&mut self, session: u32) {
        match self.reference.sessions.iter().position(|known| *known == session) {
            Some(place) => self.count(place),
            None => self.number(u64::MAX - u64::from(session)),
        }
    }

    /// A delivery of a queue, by how many there were after it.
    pub fn delivery(&mut self, queue: u16, delivery: u32) {
        let all = self.reference.deliveries.get(usize::from(queue)).copied().unwrap_or(0);
        self.number(queue);
        self.integer(i64::from(all) - i64::from(delivery));
    }

    /// A handle of an asynchronous publish, by how many there were after it.
    pub fn handle(&mut self, number: u32) {
        self.integer(i64::from(self.reference.handles) - i64::from(number));
    }

    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        for chunk in text.as_bytes().chunks(8) {
            let bytes = chunk.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
            self.number(bytes);
        }
    }

    /// Whether there is something, and what.
    pub fn optional<T>(&mut self, something: Option<T>, take: impl FnOnce(&mut Self, T)) {
        self.flag(something.is_some());
        if let Some(something) = something {
            take(self, something);
        }
    }

    /// A row's values: for rows whose names are known from where they are.
    pub fn values(&mut self, row: &Row) {
        self.count(row.values().len());
        for value in row.values() {
            self.value(value);
        }
    }

    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.number(11u8),
            Value::Bool(flag) => self.number(1 + u64::from(*flag)),
            Value::Int(integer) => self.tagged(3, *integer),
            Value::Text(text) => {
                self.number(4u8);
                self.text(text);
            }
            Value::Time(at) => {
                self.number(5u8);
                self.instant(*at);
            }
            Value::Interval(time) => self.tagged(6, *time),
            Value::Row(row) => {
                self.number(7u8);
                row.names().iter().for_each(|name| self.text(name));
                self.values(row);
            }
            Value::List(items) => {
                self.number(8u8);
                self.count(items.len());
                items.iter().for_each(|item| self.value(item));
            }
            Value::Receipt { queue, delivery } => {
                self.number(9u8);
                self.delivery(*queue, *delivery);
            }
            Value::Handle(number) => {
                self.number(10u8);
                self.handle(*number);
            }
        }
    }

    fn tagged(&mut self, tag: u8, integer: i64) {
        self.number(tag);
        self.integer(integer);
    }

    /// Whatever has no fingerprint of its own, by how it is shown: exact, and slow.
    pub fn shown(&mut self, shown: &impl fmt::Debug) {
        // Taking text down cannot fail.
        let _ = fmt::Write::write_fmt(self, format_args!("{shown:?}"));
    }
}

/// Whether a value counts from a reference, or holds one that does.
pub fn is_relative(value: &Value) -> bool {
    match value {
        Value::Time(_) | Value::Receipt { .. } | Value::Handle(_) => true,
        Value::Row(row) => row.values().iter().any(is_relative),
        Value::List(items) => items.iter().any(is_relative),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) | Value::Interval(_) => false,
    }
}

impl fmt::Write for Fingerprint<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text(text);
        Ok(())
    }
}

fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 33)).wrapping_mul(MIX[1]);
    bits = (bits ^ (bits >> 33)).wrapping_mul(MIX[2]);
    bits ^ (bits >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(take: impl FnOnce(&mut Fingerprint)) -> (u64, u64) {
        let mut print = Fingerprint::new(Reference {
            origin: 100,
            sessions: &[7, 9],
            deliveries: &[4],
            handles: 2,
        });
        take(&mut print);
        print.finish()
    }

    #[test]
    fn only_the_distance_from_the_reference_counts() {
        let mut later = Fingerprint::new(Reference {
            origin: 150,
            sessions: &[8, 20],
            deliveries: &[9],
            handles: 5,
        });
        later.instant(160);
        later.session(20);
        later.delivery(0, 8);
        later.handle(4);
        let earlier = of(|print| {
            print.instant(110);
            print.session(9);
            print.delivery(0, 3);
            print.handle(1);
        });
        assert_eq!(later.finish(), earlier);
    }

    #[test]
    fn what_differs_in_a_piece_a_kind_or_a_border_differs() {
        let prints = [
            of(|_| {}),
            of(|print| print.value(&Value::Null)),
            of(|print| print.value(&Value::Int(0))),
            of(|print| print.value(&Value::Interval(0))),
            of(|print| print.value(&Value::text(""))),
            of(|print| print.value(&Value::text("\0"))),
            of(|print| {
                print.text("ab");
                print.text("c");
            }),
            of(|print| {
                print.text("a");
                print.text("bc");
            }),
            of(|print| print.optional(None::<u8>, |print, it| print.number(it))),
            of(|print| print.optional(Some(0u8), |print, it| print.number(it))),
        ];
        for (place, print) in prints.iter().enumerate() {
            assert!(!prints[..place].contains(print), "{place}");
        }
    }
}
