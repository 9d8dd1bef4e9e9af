//! Values of the language as JSON, and back.
//!
//! Refuses to know: what they are values of.

use crashpoint::value::{Name, Row, Value};
use serde_json::{Value as Json, json};
use std::rc::Rc;

/// A value as JSON; [`decode`] is its inverse.
pub fn encode(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        Value::Text(text) => json!(&**text),
        Value::Time(at) => json!({ "time": at }),
        Value::Interval(span) => json!({ "interval": span }),
        Value::Row(row) => {
            let fields = row.fields().map(|(name, value)| json!([&**name, encode(value)]));
            json!({ "row": fields.collect::<Vec<_>>() })
        }
        Value::List(items) => json!(items.iter().map(encode).collect::<Vec<_>>()),
        Value::Receipt { queue, delivery } => json!({ "receipt": [queue, delivery] }),
        Value::Handle(number) => json!({ "handle": number }),
    }
}

/// What [`encode`] wrote; null for anything else.
pub fn decode(json: &Json) -> Value {
    let number = |json: &Json| json.as_i64().unwrap_or(0);
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(_) => Value::Int(number(json)),
        Json::String(text) => Value::text(text),
        Json::Array(items) => Value::List(Rc::new(items.iter().map(decode).collect())),
        Json::Object(fields) => match fields.iter().next() {
            Some((kind, of)) if kind == "time" => Value::Time(number(of)),
            Some((kind, of)) if kind == "interval" => Value::Interval(number(of)),
            Some((kind, of)) if kind == "handle" => Value::Handle(number(of) as u32),
            Some((kind, of)) if kind == "receipt" => Value::Receipt {
                queue: number(&of[0]) as u16,
                delivery: number(&of[1]) as u32,
            },
            Some((kind, of)) if kind == "row" => Value::Row(row_of(of)),
            _ => Value::Null,
        },
    }
}

fn row_of(fields: &Json) -> Row {
    let fields = fields.as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Rc<[Name]> = fields
        .iter()
        .map(|field| Name::from(field[0].as_str().unwrap_or_default()))
        .collect();
    Row::new(names, fields.iter().map(|field| decode(&field[1])).collect())
}
