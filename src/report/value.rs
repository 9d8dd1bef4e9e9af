//! Values and ordered objects as JSON.

use crate::value::{Row, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// An object whose entries keep their sequence.
pub struct Entries<T>(pub Vec<(String, T)>);

impl<T> Entries<T> {
    /// Name and content, entry by entry.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, content)| (name.as_str(), content))
    }
}

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, content) in &self.0 {
            map.serialize_entry(name, content)?;
        }
        map.end()
    }
}

/// A row as an object, its columns in their sequence.
pub struct Fields(pub Row);

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.values().len()))?;
        for (name, value) in self.0.fields() {
            map.serialize_entry(&**name, &Json(value))?;
        }
        map.end()
    }
}

/// A value as JSON: instants and intervals in milliseconds, rows as objects, receipts as text.
pub(super) struct Json<'a>(pub &'a Value);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Int(n) | Value::Time(n) | Value::Interval(n) => serializer.serialize_i64(*n),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Row(row) => Fields(row.clone()).serialize(serializer),
            Value::List(items) => serializer.collect_seq(items.iter().map(Json)),
            handle @ (Value::Receipt { .. } | Value::Handle(_)) => serializer.collect_str(handle),
        }
    }
}
