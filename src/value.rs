//! Values: what cells, variables and message fields hold.
//!
//! Refuses to know: tables, services, expressions.

use std::fmt;
use std::rc::Rc;

/// Virtual time or a span of it, in whole milliseconds. Time 0 is the start of a run.
pub type Millis = i64;

/// A name of the scenario text (table, column, service, step…), shared and immutable.
pub type Name = Rc<str>;

/// Levels that lists and rows nest within each other.
const NESTING_MAX: u32 = 16;
/// The largest weight of a value.
const WEIGHT_MAX: u64 = 1_000_000;

/// One value. `Ord` is total (by kind, then by content), so values can be keys of ordered maps; it is not SQL's `<`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// SQL's null: unknown, equal to nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// `int`, `bigint` and the numbers of the program.
    Int(i64),
    /// `text`, compared by bytes (collation "C").
    Text(Rc<str>),
    /// `timestamptz`: an instant of virtual time.
    Time(Millis),
    /// `interval`, and the times of the language (`30s`).
    Interval(Millis),
    /// A row with named fields: one row of a result, a received message, a followed change.
    Row(Row),
    /// A list: the rows of a result, or what `append` collected.
    List(Rc<Vec<Value>>),
    /// The receipt handle of one delivery: which queue (index into the program's queues) and which delivery of it.
    Receipt { queue: u16, delivery: u32 },
    /// The handle of an asynchronous publish, which `confirm` takes: its number within the run, from 1.
    Handle(u32),
}

impl Value {
    /// Text from anything that reads as a string.
    pub fn text(text: impl AsRef<str>) -> Value {
        Value::Text(Rc::from(text.as_ref()))
    }

    /// How much there is to a value: one for itself, for each field and item and for every 64 bytes of text. None if it nests
    /// deeper, or is larger, than any value of a program may be: a program that grows one without end fails instead.
    pub fn weight(&self) -> Option<u64> {
        let mut left = WEIGHT_MAX;
        self.weigh(NESTING_MAX, &mut left)?;
        Some(WEIGHT_MAX - left)
    }

    fn weigh(&self, levels: u32, left: &mut u64) -> Option<()> {
        let levels = levels.checked_sub(1)?;
        let own = match self {
            Value::Text(text) => 1 + text.len() as u64 / 64,
            _ => 1,
        };
        *left = left.checked_sub(own)?;
        match self {
            Value::List(items) => items.iter().try_for_each(|item| item.weigh(levels, left)),
            Value::Row(row) => row.values().iter().try_for_each(|value| value.weigh(levels, left)),
            _ => Some(()),
        }
    }

    /// What `if` asks: true, a non-empty list, any row. Null, false and the empty list are not.
    pub fn is_truthy(&self) -> bool {
        match self {
            Value::Null | Value::Bool(false) => false,
            Value::List(items) => !items.is_empty(),
            _ => true,
        }
    }
}

/// A row with named fields; cloning shares it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row(Rc<Record>);

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    names: Rc<[Name]>,
    values: Box<[Value]>,
}

impl Row {
    /// A row of `values` under `names`, both in the same sequence and of the same length.
    pub fn new(names: Rc<[Name]>, values: Vec<Value>) -> Row {
        debug_assert_eq!(names.len(), values.len());
        Row(Rc::new(Record {
            names,
            values: values.into_boxed_slice(),
        }))
    }

    /// The field of that name, if the row has one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let position = self.0.names.iter().position(|n| &**n == name)?;
        self.0.values.get(position)
    }

    /// True if this is that very row, shared; false for one that merely has the same values.
    pub fn is_same(&self, other: &Row) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// All values, in the sequence of the names.
    pub fn values(&self) -> &[Value] {
        &self.0.values
    }

    /// All names, in the sequence of the values.
    pub fn names(&self) -> &Rc<[Name]> {
        &self.0.names
    }

    /// Name and value, pair by pair.
    pub fn fields(&self) -> impl Iterator<Item = (&Name, &Value)> {
        self.0.names.iter().zip(self.0.values.iter())
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.fields()).finish()
    }
}

/// As a table cell or a sentence shows it: text bare, null as `null`, times as `12.5s`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            Value::Text(t) => f.write_str(t),
            Value::Time(t) | Value::Interval(t) => write!(f, "{}", Duration(*t)),
            Value::Row(row) => {
                for (i, value) in row.values().iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Value::List(items) => write!(f, "[{}]", items.len()),
            Value::Receipt { queue, delivery } => write!(f, "receipt {queue}/{delivery}"),
            Value::Handle(number) => write!(f, "publish {number}"),
        }
    }
}

/// Writes a span as the language reads it: the largest unit that needs no fraction (`500ms`, `30s`, `2min`, `1h`, `7d`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duration(pub Millis);

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(Millis, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
        let found = UNITS
            .iter()
            .find(|(size, _)| self.0 % size == 0 && (self.0 != 0 || *size == 1_000));
        match found {
            Some((size, unit)) => write!(f, "{}{unit}", self.0 / size),
            None => write!(f, "{}ms", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_use_the_largest_whole_unit() {
        let shown: Vec<String> = [0, 1, 1500, 5000, 60_000, 90_000, 7_200_000, 604_800_000]
            .iter()
            .map(|ms| Duration(*ms).to_string())
            .collect();
        assert_eq!(shown, ["0s", "1ms", "1500ms", "5s", "1min", "90s", "2h", "7d"]);
    }

    #[test]
    fn a_value_weighs_what_is_in_it_and_has_a_limit() {
        let list = |items: Vec<Value>| Value::List(Rc::new(items));
        assert_eq!(Value::Int(7).weight(), Some(1));
        assert_eq!(Value::text("x".repeat(640)).weight(), Some(11));
        assert_eq!(list(vec![Value::Int(1), list(vec![])]).weight(), Some(3));
        let nested = |levels| (1..levels).fold(list(vec![]), |inner, _| list(vec![inner]));
        assert_eq!(nested(16).weight(), Some(16));
        assert_eq!(nested(17).weight(), None);
        // Shared twice on every level: 2^15 items, then 2^30.
        let shared = (0..14).fold(list(vec![]), |inner, _| list(vec![inner.clone(), inner]));
        assert!(shared.weight().is_some());
        let wide = (0..3).fold(list(vec![Value::Null; 1_000]), |inner, _| list(vec![inner; 1_000]));
        assert_eq!(wide.weight(), None);
    }
}
