//! Aggregates of a select: the one row they make of all rows found.

use super::Reader;
use crate::expression::{Aggregate, ErrorClass, Expr, Failure, Scope, aggregate, evaluate};
use crate::sql::Items;
use crate::value::{Row, Value};
use std::rc::Rc;

impl Reader<'_> {
    /// The only result row of a select that aggregates.
    pub(super) fn fold(&self, items: &Items, rows: &[(u64, Row)], outer: &dyn Scope) -> Result<Row, Failure> {
        let around = self.around(outer);
        let values = items.exprs.iter().map(|expr| {
            let folded = self.folded(expr, rows, outer)?;
            evaluate(&folded, &around)
        });
        Ok(Row::new(
            Rc::clone(&items.names),
            values.collect::<Result<Vec<Value>, Failure>>()?,
        ))
    }

    /// The expression with every aggregate replaced by its value. Aggregates in sub-selects are the sub-selects' own.
    fn folded(&self, expr: &Expr, rows: &[(u64, Row)], outer: &dyn Scope) -> Result<Expr, Failure> {
        let fold = |expr: &Expr| self.folded(expr, rows, outer);
        let boxed = |expr: &Expr| fold(expr).map(Box::new);
        let all = |exprs: &[Expr]| exprs.iter().map(fold).collect::<Result<Vec<Expr>, Failure>>();
        Ok(match expr {
            Expr::Aggregate(kind, of) => Expr::Literal(self.value(*kind, of.as_deref(), rows, outer)?),
            Expr::Column { depth: 0, .. } => {
                return Err(Failure::new(
                    ErrorClass::Error,
                    "a column must appear in the GROUP BY clause or be used in an aggregate function",
                ));
            }
            Expr::Field(of, name) => Expr::Field(boxed(of)?, Rc::clone(name)),
            Expr::Not(of) => Expr::Not(boxed(of)?),
            Expr::Negate(of) => Expr::Negate(boxed(of)?),
            Expr::IsNull(of) => Expr::IsNull(boxed(of)?),
            Expr::Cast(of, kind) => Expr::Cast(boxed(of)?, *kind),
            Expr::Binary(operator, left, right) => Expr::Binary(*operator, boxed(left)?, boxed(right)?),
            Expr::InList(needle, items) => Expr::InList(boxed(needle)?, all(items)?),
            Expr::InValue(needle, list) => Expr::InValue(boxed(needle)?, boxed(list)?),
            Expr::InSelect(needle, select) => Expr::InSelect(boxed(needle)?, Rc::clone(select)),
            Expr::Call(function, arguments) => Expr::Call(*function, all(arguments)?),
            other => other.clone(),
        })
    }

    fn value(
        &self,
        kind: Aggregate,
        of: Option<&Expr>,
        rows: &[(u64, Row)],
        outer: &dyn Scope,
    ) -> Result<Value, Failure> {
        let values = rows.iter().map(|(_, row)| match of {
            Some(of) => evaluate(of, &self.scope(row, outer)),
            // count(*): every row counts.
            None => Ok(Value::Bool(true)),
        });
        aggregate(kind, &values.collect::<Result<Vec<Value>, Failure>>()?)
    }
}
