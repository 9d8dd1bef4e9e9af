//! A fingerprint of a state: 128 bits that equal states share and different ones, for all practical purposes, do not.
//!
//! Instants are taken relative to one of them, and sessions by their place in a list, so that states that differ in nothing but
//! when they came about are equal. Not cryptographic: nobody chooses states to collide. Refuses to know: what has a state.

use crate::value::{Millis, Row, Value};
use std::fmt;

/// Odd constants with well-mixed bits (the golden ratio, and those of MurmurHash3's finalizer).
const MIX: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53];

/// Takes down a state, piece by piece.
#[derive(Clone, Debug)]
pub struct Fingerprint<'a> {
    state: (u64, u64),
    origin: Millis,
    sessions: &'a [u32],
}

impl<'a> Fingerprint<'a> {
    /// `origin` is the instant that counts as 0; `sessions` are the known sessions in the sequence that counts.
    pub fn new(origin: Millis, sessions: &'a [u32]) -> Fingerprint<'a> {
        Fingerprint {
            state: (MIX[1], MIX[2]),
            origin,
            sessions,
        }
    }

    /// One of the same kind that has taken down nothing yet.
    pub fn apart(&self) -> Fingerprint<'a> {
        Fingerprint::new(self.origin, self.sessions)
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
        self.integer(at.saturating_sub(self.origin));
    }

    /// A session by its place in the list; one that is not in it by its number.
    pub fn session(&mut self, session: u32) {
        match self.sessions.iter().position(|known| *known == session) {
            Some(place) => self.count(place),
            None => self.number(u64::MAX - u64::from(session)),
        }
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
                self.tagged(9, i64::from(*queue));
                self.number(*delivery);
            }
            Value::Handle(number) => self.tagged(10, i64::from(*number)),
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
        let mut print = Fingerprint::new(100, &[7, 9]);
        take(&mut print);
        print.finish()
    }

    #[test]
    fn instants_count_from_the_origin_and_sessions_by_their_place() {
        let mut later = Fingerprint::new(150, &[8, 20]);
        later.instant(160);
        later.session(20);
        let earlier = of(|print| {
            print.instant(110);
            print.session(9);
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
