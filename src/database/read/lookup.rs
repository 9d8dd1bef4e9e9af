//! Ways to rows that need no full scan: by key, and in the sequence of a primary key.
//!
//! They only narrow down or order the rows; the whole filter is still applied to each. So they never change a result.

use super::Reader;
use crate::database::index::{Index, key_of};
use crate::database::serializable::Mark;
use crate::database::table::Table;
use crate::expression::{Expr, Function, Operator, Scope, SqlType, cast, evaluate};
use crate::sql::{OrderBy, Select};
use crate::value::{Row, Value};

/// The key looked up, unless it is null, and the rows found.
type ByKey<'r> = (Option<Mark>, Vec<(u64, &'r Row)>);

impl Reader<'_> {
    /// The rows that may satisfy a filter that compares all columns of a unique index for equality, and the key looked up; none if
    /// it does not.
    pub(super) fn by_key<'r>(
        &self,
        (number, table): (u16, &'r Table),
        filter: Option<&Expr>,
        outer: &dyn Scope,
    ) -> Option<ByKey<'r>> {
        let mut equalities = Vec::new();
        collect_equalities(filter?, &mut equalities);
        let (unique, index, values) = table
            .uniques
            .iter()
            .enumerate()
            .find_map(|(unique, index)| Some((unique, index, self.values_for(index, &equalities, outer)?)))?;
        let Some(key) = key_of(values) else {
            // Nothing equals null.
            return Some((None, Vec::new()));
        };
        let claimed = index
            .claims
            .get(&key)
            .filter(|claim| Some(claim.session) == self.session);
        let mut found: Vec<u64> = index.holders.get(&key).copied().into_iter().collect();
        found.extend(claimed.map(|claim| claim.identity));
        found.sort_unstable();
        found.dedup();
        let visible = |identity| Some((identity, table.visible(self.session, identity)?));
        let rows = found.into_iter().filter_map(visible).collect();
        let table = number;
        Some((Some(Mark::Key { table, unique, key }), rows))
    }

    /// The values a filter wants for all columns of an index, if it names them all and they have the columns' types.
    fn values_for(&self, index: &Index, equalities: &[(u16, &Expr)], outer: &dyn Scope) -> Option<Vec<Value>> {
        let value = |(column, kind): &(u16, SqlType)| {
            let (_, expr) = equalities.iter().find(|(named, _)| named == column)?;
            // An error here is left to the scan, which raises it if there is a row to raise it for.
            let value = evaluate(expr, &self.around(outer)).ok()?;
            match (expr, &value, kind) {
                (Expr::Literal(_), Value::Text(_), _) => cast(&value, *kind).ok(),
                (_, Value::Null, _)
                | (_, Value::Int(_), SqlType::Int | SqlType::BigInt)
                | (_, Value::Text(_), SqlType::Text)
                | (_, Value::Bool(_), SqlType::Boolean)
                | (_, Value::Time(_), SqlType::Timestamptz)
                | (_, Value::Interval(_), SqlType::Interval) => Some(value),
                _ => None,
            }
        };
        index.columns.iter().map(value).collect()
    }

    /// All rows in the sequence asked for, if a primary key gives it.
    pub(super) fn in_index_sequence<'r>(
        &self,
        table: &'r Table,
        order_by: &[OrderBy],
    ) -> Option<Box<dyn Iterator<Item = (u64, &'r Row)> + 'r>> {
        let descending = order_by.first()?.descending;
        let is_sequence = |index: &&Index| {
            // More columns than the key has change nothing: the key is unique.
            index.primary
                && order_by.len() >= index.columns.len()
                && index.columns.iter().zip(order_by).all(|((column, _), by)| {
                    by.descending == descending
                        && by.expr
                            == Expr::Column {
                                depth: 0,
                                column: *column,
                            }
                })
        };
        let index = table.uniques.iter().find(is_sequence)?;
        let session = self.session;
        // Keys that the session itself has given are read from its claims, so a holder counts only while it has its key.
        let current = move |(key, identity): (&'r Value, u64)| {
            let row = table.visible(session, identity)?;
            (index.key(row).as_ref() == Some(key)).then_some((key, identity, row))
        };
        let holders = if descending {
            index.holders.iter_descending()
        } else {
            index.holders.iter()
        };
        let claims = if descending {
            index.claims.iter_descending()
        } else {
            index.claims.iter()
        };
        let mut holders = holders
            .map(|(key, identity)| (key, *identity))
            .filter_map(current)
            .peekable();
        let mut claims = claims
            .filter(move |(_, claim)| Some(claim.session) == session)
            .map(|(key, claim)| (key, claim.identity))
            .filter_map(current)
            .peekable();
        Some(Box::new(std::iter::from_fn(move || {
            let own_first = match (holders.peek(), claims.peek()) {
                (Some((_, held, _)), Some((_, own, _))) if held == own => {
                    // The row that gave its key away and took it back stands in both.
                    claims.next();
                    false
                }
                // In a transaction's snapshot a row may hold the key that has become free, and the transaction's own, since.
                (Some((held, ..)), Some((own, ..))) => held != own && (own < held) != descending,
                (held, _) => held.is_none(),
            };
            let (_, identity, row) = if own_first { claims.next() } else { holders.next() }?;
            Some((identity, row))
        })))
    }
}

/// The conditions that all must hold.
pub(super) fn collect_conditions<'e>(filter: Option<&'e Expr>, into: &mut Vec<&'e Expr>) {
    match filter {
        Some(Expr::Binary(Operator::And, left, right)) => {
            collect_conditions(Some(left), into);
            collect_conditions(Some(right), into);
        }
        other => into.extend(other),
    }
}

/// True if an expression has one value for a whole statement, whatever row is looked at.
pub(super) fn is_constant(expr: &Expr) -> bool {
    let mut varies = false;
    expr.visit(&mut |inner| {
        varies |= match inner {
            Expr::Column { depth, .. } => *depth == 0,
            Expr::Call(function, _) => *function == Function::Fresh,
            other => other.sub_select().is_some_and(|select| depends_on_outer_row(select)),
        };
    });
    !varies
}

/// The `column = value` conditions that all must hold, where the value does not depend on the row.
fn collect_equalities<'e>(filter: &'e Expr, into: &mut Vec<(u16, &'e Expr)>) {
    match filter {
        Expr::Binary(Operator::And, left, right) => {
            collect_equalities(left, into);
            collect_equalities(right, into);
        }
        Expr::Binary(Operator::Equal, left, right) => {
            for (column, value) in [(left, right), (right, left)] {
                if let Expr::Column { depth: 0, column } = &**column
                    && is_same_for_all_rows(value)
                {
                    into.push((*column, value));
                }
            }
        }
        _ => {}
    }
}

/// True for values that are the same whatever row is looked at. Conservative: false costs only a scan.
fn is_same_for_all_rows(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(_) | Expr::Parameter(_) | Expr::Local(_) | Expr::Memory(_) | Expr::Me => true,
        Expr::Column { depth, .. } => *depth > 0,
        Expr::Field(of, _) | Expr::Cast(of, _) | Expr::Negate(of) => is_same_for_all_rows(of),
        Expr::Binary(_, left, right) => is_same_for_all_rows(left) && is_same_for_all_rows(right),
        Expr::Call(function, arguments) => *function != Function::Fresh && arguments.iter().all(is_same_for_all_rows),
        Expr::Scalar(select) => !depends_on_outer_row(select),
        _ => false,
    }
}

/// True if a sub-select reads columns of a row around it, so that it must run for each of them.
pub(in crate::database) fn depends_on_outer_row(select: &Select) -> bool {
    reaches_out(select, 0)
}

/// True if a select that lies `inside` selects deep reads columns from outside the outermost of them.
fn reaches_out(select: &Select, inside: u8) -> bool {
    let mut found = false;
    for expr in select.exprs() {
        expr.visit(&mut |expr| {
            found |= match expr {
                Expr::Column { depth, .. } => *depth > inside,
                other => other
                    .sub_select()
                    .is_some_and(|select| reaches_out(select, inside.saturating_add(1))),
            };
        });
    }
    found
}
