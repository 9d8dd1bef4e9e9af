//! Reading: the rows a select finds in a snapshot, and the scopes its expressions are evaluated in.
//!
//! Refuses to know: locks. Selects that lock are driven by `statement`.

mod aggregate;
pub(super) mod lookup;

use super::SessionId;
use super::serializable::Mark;
use super::table::Table;
use crate::expression::{ErrorClass, Expr, Failure, Scope, Slot, evaluate, is_true};
use crate::sql::{Items, OrderBy, Select};
use crate::value::{Millis, Row, Value};
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A locking sub-select and the rows it has found.
pub(super) type Found = (Rc<Select>, Vec<Row>);

/// A sub-select that has run: its address, and its rows unless they depend on the row around it.
type Met = (*const Select, Option<Vec<Row>>);

/// Reads one snapshot as one session sees it.
pub(super) struct Reader<'a> {
    tables: &'a [Rc<Table>],
    /// None: only what is committed.
    session: Option<SessionId>,
    /// The statement's sub-selects that lock; they run before it.
    locked: &'a [Found],
    /// Like PostgreSQL's init plans, sub-selects that do not depend on the row around them run once. The statement outlives the
    /// reader, so an address stands for one select.
    memo: RefCell<Vec<Met>>,
    /// Rows looked at so far: the work that a caller bounds.
    visited: &'a Cell<u64>,
    /// What has been read, if anybody wants to know.
    reads: Option<&'a RefCell<BTreeSet<Mark>>>,
}

/// Rows that one statement may look at; nested sub-selects over large tables would take for ever.
const VISITED_MAX: u64 = 4_000_000;

/// The rows to find: all that a statement says about them but what becomes of them.
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    pub table: u16,
    pub filter: Option<&'a Expr>,
    pub order_by: &'a [OrderBy],
}

impl<'a> Query<'a> {
    pub(super) fn of(select: &'a Select) -> Query<'a> {
        Query {
            table: select.table,
            filter: select.filter.as_ref(),
            order_by: &select.order_by,
        }
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        tables: &'a [Rc<Table>],
        session: Option<SessionId>,
        locked: &'a [Found],
        visited: &'a Cell<u64>,
    ) -> Reader<'a> {
        Reader {
            tables,
            session,
            locked,
            memo: RefCell::new(Vec::new()),
            visited,
            reads: None,
        }
    }

    /// Notes what it reads.
    pub(super) fn noting(mut self, reads: Option<&'a RefCell<BTreeSet<Mark>>>) -> Reader<'a> {
        self.reads = reads;
        self
    }

    /// The result rows of a select that takes no locks.
    pub(super) fn select(&self, select: &Select, outer: &dyn Scope) -> Result<Vec<Row>, Failure> {
        let limit = self.limit(select, outer)?;
        let wanted = if select.items.aggregates { usize::MAX } else { limit };
        let rows = self.find(Query::of(select), wanted, outer)?;
        let mut result = if select.items.aggregates {
            vec![self.fold(&select.items, &rows, outer)?]
        } else {
            let project = |(_, row): &(u64, Row)| self.project(&select.items, row, outer);
            rows.iter().map(project).collect::<Result<Vec<Row>, Failure>>()?
        };
        result.truncate(limit);
        Ok(result)
    }

    /// How many rows a select wants at most.
    pub(super) fn limit(&self, select: &Select, outer: &dyn Scope) -> Result<usize, Failure> {
        let Some(limit) = &select.limit else {
            return Ok(usize::MAX);
        };
        match evaluate(limit, &self.around(outer))? {
            Value::Null => Ok(usize::MAX),
            Value::Int(n) => {
                usize::try_from(n).map_err(|_| Failure::new(ErrorClass::Error, "LIMIT must not be negative"))
            }
            other => {
                let kind = crate::expression::type_name(&other);
                let detail = format!("argument of LIMIT must be type bigint, not type {kind}");
                Err(Failure::new(ErrorClass::Error, detail))
            }
        }
    }

    /// The first `wanted` rows that match, in the sequence asked for, else in the sequence of their inserts.
    pub(super) fn find(&self, query: Query, wanted: usize, outer: &dyn Scope) -> Result<Vec<(u64, Row)>, Failure> {
        let Some(table) = self.tables.get(usize::from(query.table)) else {
            return Ok(Vec::new());
        };
        if self.is_never(query.filter, outer) {
            return Ok(Vec::new());
        }
        if let Some((mark, rows)) = self.by_key((query.table, table), query.filter, outer) {
            mark.into_iter().for_each(|mark| self.note(mark));
            let rows = self.matching(rows.into_iter(), query.filter, usize::MAX, outer)?;
            return self.sorted(rows, query.order_by, wanted, outer);
        }
        self.note(Mark::Table(query.table));
        if let Some(rows) = self.in_index_sequence(table, query.order_by) {
            return self.matching(rows, query.filter, wanted, outer);
        }
        let enough = if query.order_by.is_empty() { wanted } else { usize::MAX };
        let rows = self.matching(table.rows(self.session), query.filter, enough, outer)?;
        self.sorted(rows, query.order_by, wanted, outer)
    }

    /// True if a condition that is the same for all rows is not true. As in PostgreSQL, whose plans ask that first, once, no row is
    /// read then. An error is left to the rows, if there are any.
    fn is_never(&self, filter: Option<&Expr>, outer: &dyn Scope) -> bool {
        let mut conditions = Vec::new();
        lookup::collect_conditions(filter, &mut conditions);
        let constant = conditions
            .into_iter()
            .filter(|condition| lookup::is_constant(condition));
        let scope = self.around(outer);
        constant
            .into_iter()
            .any(|condition| is_true(condition, &scope) == Ok(false))
    }

    fn note(&self, mark: Mark) {
        if let Some(reads) = self.reads {
            reads.borrow_mut().insert(mark);
        }
    }

    fn matching<'r>(
        &self,
        rows: impl Iterator<Item = (u64, &'r Row)>,
        filter: Option<&Expr>,
        enough: usize,
        outer: &dyn Scope,
    ) -> Result<Vec<(u64, Row)>, Failure> {
        let mut found = Vec::new();
        for (identity, row) in rows {
            if found.len() >= enough {
                break;
            }
            self.visit()?;
            if self.matches(filter, row, outer)? {
                found.push((identity, row.clone()));
            }
        }
        Ok(found)
    }

    fn visit(&self) -> Result<(), Failure> {
        self.visited.set(self.visited.get() + 1);
        if self.visited.get() > VISITED_MAX {
            let detail = format!("the statement looks at more than {VISITED_MAX} rows");
            return Err(Failure::new(ErrorClass::Error, detail));
        }
        Ok(())
    }

    /// True if a row satisfies a `where`.
    pub(super) fn matches(&self, filter: Option<&Expr>, row: &Row, outer: &dyn Scope) -> Result<bool, Failure> {
        match filter {
            Some(filter) => is_true(filter, &self.scope(row, outer)),
            None => Ok(true),
        }
    }

    /// The items' values for a row.
    pub(super) fn project(&self, items: &Items, row: &Row, outer: &dyn Scope) -> Result<Row, Failure> {
        let scope = self.scope(row, outer);
        let values = items.exprs.iter().map(|expr| evaluate(expr, &scope));
        Ok(Row::new(
            Rc::clone(&items.names),
            values.collect::<Result<Vec<Value>, Failure>>()?,
        ))
    }

    /// Sorts as PostgreSQL does: nulls after everything else, before it when descending; equal rows stay in their sequence.
    fn sorted(
        &self,
        rows: Vec<(u64, Row)>,
        order_by: &[OrderBy],
        wanted: usize,
        outer: &dyn Scope,
    ) -> Result<Vec<(u64, Row)>, Failure> {
        let mut keyed = Vec::with_capacity(rows.len());
        for (identity, row) in rows {
            let scope = self.scope(&row, outer);
            let keys = order_by.iter().map(|by| evaluate(&by.expr, &scope));
            keyed.push((keys.collect::<Result<Vec<Value>, Failure>>()?, identity, row));
        }
        keyed.sort_by(|(a, ..), (b, ..)| compare_keys(a, b, order_by));
        keyed.truncate(wanted);
        Ok(keyed.into_iter().map(|(_, identity, row)| (identity, row)).collect())
    }

    pub(super) fn scope<'s>(&'s self, row: &'s Row, outer: &'s dyn Scope) -> RowScope<'s> {
        RowScope {
            reader: self,
            row: Some(row),
            outer,
        }
    }

    /// The scope of expressions beside the rows: `limit`, and values that are looked up.
    pub(super) fn around<'s>(&'s self, outer: &'s dyn Scope) -> RowScope<'s> {
        RowScope {
            reader: self,
            row: None,
            outer,
        }
    }

    fn sub_select(&self, select: &Select, scope: &dyn Scope) -> Result<Vec<Row>, Failure> {
        if let Some((_, rows)) = self.locked.iter().find(|(locked, _)| std::ptr::eq(&**locked, select)) {
            return Ok(rows.clone());
        }
        let known = self
            .memo
            .borrow()
            .iter()
            .find(|(met, _)| std::ptr::eq(*met, select))
            .cloned();
        match known {
            Some((_, Some(rows))) => Ok(rows),
            Some((_, None)) => self.select(select, scope),
            None => {
                let rows = self.select(select, scope)?;
                let kept = (!lookup::depends_on_outer_row(select)).then(|| rows.clone());
                self.memo.borrow_mut().push((select, kept));
                Ok(rows)
            }
        }
    }
}

fn compare_keys(a: &[Value], b: &[Value], order_by: &[OrderBy]) -> Ordering {
    let nulls_last = |a: &Value, b: &Value| (*a == Value::Null).cmp(&(*b == Value::Null)).then_with(|| a.cmp(b));
    a.iter()
        .zip(b)
        .zip(order_by)
        .map(|((a, b), by)| match by.descending {
            false => nulls_last(a, b),
            true => nulls_last(b, a),
        })
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// One row, and what is around it.
pub(super) struct RowScope<'a> {
    reader: &'a Reader<'a>,
    row: Option<&'a Row>,
    outer: &'a dyn Scope,
}

impl Scope for RowScope<'_> {
    fn column(&self, depth: u8, column: u16) -> Value {
        match depth.checked_sub(1) {
            Some(further) => self.outer.column(further, column),
            None => self
                .row
                .and_then(|row| row.values().get(usize::from(column)).cloned())
                .unwrap_or(Value::Null),
        }
    }
    fn local(&self, slot: Slot) -> Value {
        self.outer.local(slot)
    }
    fn memory(&self, slot: Slot) -> Value {
        self.outer.memory(slot)
    }
    fn parameter(&self, slot: Slot) -> Value {
        self.outer.parameter(slot)
    }
    fn me(&self) -> Value {
        self.outer.me()
    }
    fn now(&self) -> Millis {
        self.outer.now()
    }
    fn fresh(&self, prefix: &str) -> i64 {
        self.outer.fresh(prefix)
    }
    fn select(&self, select: &Select) -> Result<Vec<Row>, Failure> {
        self.reader.sub_select(select, self)
    }
}

/// The scope around a statement: its parameters and the start of its transaction.
pub(super) struct StatementScope<'a> {
    pub parameters: &'a [Value],
    pub now: Millis,
}

impl Scope for StatementScope<'_> {
    fn parameter(&self, slot: Slot) -> Value {
        self.parameters.get(usize::from(slot)).cloned().unwrap_or(Value::Null)
    }
    fn now(&self) -> Millis {
        self.now
    }
}
