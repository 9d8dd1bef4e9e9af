//! What rows and relations are called: `order 1001`, `shop.orders`.

use super::Subject;
use crate::program::{Program, Relation};
use crate::value::Value;

/// The singular of the relation's own name, and the key: `order 1001`. A relation as a whole goes by its full name.
pub fn subject_label(subject: &Subject, program: &Program) -> String {
    match subject.row {
        Some(_) => match &subject.name {
            Some(name) => format!("{name} {}", subject.key),
            None => format!("{} {}", singular(&own_name(program, subject.relation)), subject.key),
        },
        None => relation_name(program, subject.relation),
    }
}

/// The relation as a promise writes it: `shop.orders`, `shop.orders.changes`, `rabbit.events`, `rabbit.events.dead`, `bank`.
pub fn relation_name(program: &Program, relation: Relation) -> String {
    let own = own_name(program, relation);
    match relation {
        Relation::Table { database, .. } => format!("{}.{own}", database_name(program, database)),
        Relation::Changes { database, .. } => format!("{}.{own}.changes", database_name(program, database)),
        Relation::Queue(queue) => format!("{}.{own}", broker_name(program, queue)),
        Relation::Dead(queue) => format!("{}.{own}.dead", broker_name(program, queue)),
        Relation::Outside(_) => own,
    }
}

/// A value inside a sentence: text in quotes, everything else bare.
pub(super) fn quoted(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("'{text}'"),
        Value::Row(row) => {
            let values: Vec<String> = row.values().iter().map(quoted).collect();
            values.join(", ")
        }
        other => other.to_string(),
    }
}

fn own_name(program: &Program, relation: Relation) -> String {
    let name = match relation {
        Relation::Queue(queue) | Relation::Dead(queue) => {
            program.queues.get(usize::from(queue)).map(|queue| &queue.name)
        }
        _ => super::subject::schema(program, relation).map(|schema| &schema.name),
    };
    name.map_or_else(String::new, |name| name.to_string())
}

fn database_name(program: &Program, database: u16) -> &str {
    program
        .databases
        .get(usize::from(database))
        .map_or("", |database| &database.name)
}

fn broker_name(program: &Program, queue: u16) -> &str {
    let queue = program.queues.get(usize::from(queue));
    let broker = queue.and_then(|queue| program.brokers.get(usize::from(queue.broker)));
    broker.map_or("", |broker| &broker.name)
}

/// The singular of an English plural by its ending; a name that is no plural stays as it is.
fn singular(name: &str) -> String {
    /// Endings and what stands in for them; the first that fits.
    const RULES: [(&str, &str); 16] = [
        // No plurals, or the same in both numbers.
        ("series", "series"),
        ("species", "species"),
        ("ss", "ss"),
        ("us", "us"),
        ("is", "is"),
        // tie, pie…: too short for entry ← entries; told apart below.
        ("ies", "y"),
        ("sses", "ss"),
        ("shes", "sh"),
        ("ches", "ch"),
        ("xes", "x"),
        ("zzes", "zz"),
        // houses, causes, but statuses, buses.
        ("ouses", "ouse"),
        ("auses", "ause"),
        ("uses", "us"),
        // cases, purchases, sizes: the e belongs to the word.
        ("es", "e"),
        ("s", ""),
    ];
    let rule = RULES
        .iter()
        .find_map(|(ending, instead)| Some((name.strip_suffix(ending)?, *instead)));
    match rule {
        Some((stem, "y")) if stem.chars().count() < 2 => format!("{stem}ie"),
        Some((stem, instead)) if !(stem.is_empty() && instead.is_empty()) => format!("{stem}{instead}"),
        _ => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn plurals_become_singular_by_their_ending() {
        for (plural, one) in [
            ("orders", "order"),
            ("parcels", "parcel"),
            ("boxes", "box"),
            ("cases", "case"),
            ("entries", "entry"),
            ("ties", "tie"),
            ("batches", "batch"),
            ("addresses", "address"),
            ("houses", "house"),
            ("statuses", "status"),
            ("prizes", "prize"),
            ("invoices", "invoice"),
            ("order_lines", "order_line"),
        ] {
            assert_eq!(singular(plural), one);
        }
    }

    #[test]
    fn a_name_that_is_no_plural_stays() {
        for name in [
            "outbox",
            "bank",
            "status",
            "address",
            "paid",
            "series",
            "s",
            "events_dead",
            "Ömer",
        ] {
            assert_eq!(singular(name), name);
        }
    }
}
