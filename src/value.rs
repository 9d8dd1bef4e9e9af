//! Values: what cells, variables and message fields hold.
//!
//! Refuses to know: tables, services, expressions.

use std::fmt;
use std::rc::Rc;

/// Virtual time or a span of it, in whole milliseconds. Time 0 is the start of a run.
pub type Millis = i64;

/// A name of the scenario text (table, column, service, step…), shared and immutable.
pub type Name = Rc<str>;

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
}

impl Value {
    /// Text from anything that reads as a string.
    pub fn text(text: impl AsRef<str>) -> Value {
        Value::Text(Rc::from(text.as_ref()))
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
}
