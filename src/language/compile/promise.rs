//! Promises: sets resolved, rows named.

use super::expression::{Compiler, Names, Rows, shape_of};
use super::operators;
use super::symbols::{Symbols, number, table_shape, unknown};
use super::types::{Shape, Type};
use crate::expression::{Expr, Operator};
use crate::language::ast::{self, Expression, File, Ident};
use crate::language::diagnostics::{Diagnostic, Problem, Thing};
use crate::program::{Part, Promise, PromiseKind, Relation, Sentence, Set};
use crate::value::Name;
use std::rc::Rc;

/// The promises of a file; a wrong one is reported and left out.
pub fn promises(file: &File, symbols: &Symbols, diagnostics: &mut Vec<Diagnostic>) -> Vec<Promise> {
    let mut compiler = PromiseCompiler { symbols, diagnostics };
    file.promises
        .iter()
        .filter_map(|promise| compiler.promise(promise))
        .collect()
}

struct PromiseCompiler<'a> {
    symbols: &'a Symbols,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl PromiseCompiler<'_> {
    fn promise(&mut self, promise: &ast::Promise) -> Option<Promise> {
        let (mut own, mut effect, mut cause) = (None, None, None);
        let kind = match &promise.kind {
            ast::PromiseKind::Each {
                count,
                effect: effects,
                cause: causes,
                matching,
                waiting,
            } => {
                let (effects, causes) = (self.set(effects, None), self.set(causes, None));
                let ((effects, effect_shape), (causes, cause_shape)) = (effects?, causes?);
                (effect, cause) = (Some(effect_shape), Some(cause_shape));
                let rows = Rows {
                    own: None,
                    effect: effect.as_ref(),
                    cause: cause.as_ref(),
                };
                let matching = self.compiler(rows).condition(matching);
                let waiting = waiting.iter().map(|set| Some(self.set(set, cause.as_ref())?.0));
                PromiseKind::Each {
                    count: *count,
                    effect: effects,
                    cause: causes,
                    matching,
                    waiting: waiting.collect::<Option<Vec<Set>>>()?,
                }
            }
            ast::PromiseKind::InOrder { set, of, per } => {
                let (set, shape) = self.set(set, None)?;
                let of = self.own(&shape).any(of).expr;
                let per = per.as_ref().map(|per| self.own(&shape).any(per).expr);
                own = Some(shape);
                PromiseKind::InOrder { set, of, per }
            }
            ast::PromiseKind::No(set) => {
                let (set, shape) = self.set(set, None)?;
                own = Some(shape);
                PromiseKind::No(set)
            }
            ast::PromiseKind::AtMost(most, set) => {
                let (set, shape) = self.set(set, None)?;
                own = Some(shape);
                PromiseKind::AtMost(*most, set)
            }
            ast::PromiseKind::Value(select, equals) => self.value(select, equals)?,
        };
        let rows = Rows {
            own: own.as_ref(),
            effect: effect.as_ref(),
            cause: cause.as_ref(),
        };
        let sentences = promise
            .sentences
            .iter()
            .map(|sentence| self.sentence(sentence, rows))
            .collect();
        Some(Promise {
            line: promise.line,
            kind,
            sentences,
        })
    }

    fn compiler<'s>(&'s mut self, rows: Rows<'s>) -> Compiler<'s> {
        Compiler::new(self.symbols, Names::Promise(rows), self.diagnostics)
    }

    fn own<'s>(&'s mut self, shape: &'s Shape) -> Compiler<'s> {
        self.compiler(Rows {
            own: Some(shape),
            ..Rows::default()
        })
    }

    /// A set and the shape of its rows; `cause` can be named by a `waiting in`.
    fn set(&mut self, set: &ast::Set, cause: Option<&Shape>) -> Option<(Set, Shape)> {
        let relation = relation(&set.path, self.symbols)
            .map_err(|problem| self.diagnostics.push(problem))
            .ok()?;
        let shape = shape(relation, self.symbols);
        let rows = Rows {
            own: Some(&shape),
            effect: None,
            cause,
        };
        let filter = set.filter.as_ref().map(|filter| self.compiler(rows).condition(filter));
        Some((Set { relation, filter }, shape))
    }

    fn value(&mut self, select: &ast::Select, equals: &Expression) -> Option<PromiseKind> {
        let all: Vec<u16> = (0..number(self.symbols.databases.len())).collect();
        let found = self.symbols.table(&all, &select.table, None);
        let (database, _) = found.map_err(|problem| self.diagnostics.push(problem)).ok()?;
        let (compiled, shape) = self.compiler(Rows::default()).select(database, select)?;
        let kind = match &*shape {
            [(_, kind)] => kind.clone(),
            several => {
                let problem = Problem::OneColumn(several.len());
                self.diagnostics.push(Diagnostic::new(select.span, problem));
                Type::Any
            }
        };
        let mut compiler = self.compiler(Rows::default());
        let mut value = compiler.any(equals);
        compiler.adapt(&mut value, &kind, equals.span);
        if operators::result(Operator::Equal, &kind, &value.kind).is_none() {
            let problem = Problem::Operator {
                operator: "=",
                left: kind.name(),
                right: Some(value.kind.name()),
            };
            compiler.report(equals.span, problem);
        }
        let equals: Expr = value.expr;
        Some(PromiseKind::Value {
            database,
            select: Rc::new(compiled),
            equals,
        })
    }

    fn sentence(&mut self, sentence: &ast::Sentence, rows: Rows<'_>) -> Sentence {
        let parts = sentence.parts.iter().map(|part| match part {
            ast::Part::Text(text) => Part::Text(text.clone()),
            ast::Part::Value(value) => {
                let mut compiler = Compiler::new(self.symbols, Names::Promise(rows), self.diagnostics);
                Part::Value(compiler.any(value).expr)
            }
        });
        Sentence {
            kind: sentence.kind,
            language: sentence.language.clone(),
            parts: parts.collect(),
        }
    }
}

/// `shop.orders`, `shop.orders.changes`, `rabbit.events`, `rabbit.events.dead`, `bank`.
fn relation(path: &[Ident], symbols: &Symbols) -> Result<Relation, Diagnostic> {
    let Some((party, rest)) = path.split_first() else {
        return Err(Diagnostic::new(Default::default(), Problem::SelectHere)); // a path is never empty
    };
    let names = rest.iter().map(|ident| &*ident.text).collect::<Vec<_>>();
    if let Ok(database) = symbols.database(party) {
        let Some(name) = rest.first() else {
            return Err(unknown(Thing::Relation, party, relations(symbols)));
        };
        let qualified = ast::Qualified {
            owner: Some(party.clone()),
            name: name.clone(),
        };
        let (database, table) = symbols.table(&[database], &qualified, None)?;
        return match names.as_slice() {
            [_] => Ok(Relation::Table { database, table }),
            [_, "changes"] => Ok(Relation::Changes { database, table }),
            _ => Err(suffix(rest, "changes", party)),
        };
    }
    if symbols.brokers.iter().any(|broker| broker.name == party.text) {
        let Some(name) = rest.first() else {
            return Err(unknown(Thing::Relation, party, relations(symbols)));
        };
        let queue = symbols.queue(&ast::Qualified {
            owner: Some(party.clone()),
            name: name.clone(),
        })?;
        return match names.as_slice() {
            [_] => Ok(Relation::Queue(queue)),
            [_, "dead"] => Ok(Relation::Dead(queue)),
            _ => Err(suffix(rest, "dead", party)),
        };
    }
    match (symbols.outside(party), rest.first()) {
        (Ok(outside), None) => Ok(Relation::Outside(outside)),
        (Ok(_), Some(extra)) => Err(unknown(Thing::Relation, extra, vec![party.text.clone()])),
        (Err(_), _) => Err(unknown_relation(party, rest, symbols)),
    }
}

/// A third name that is not the one that can stand there.
fn suffix(rest: &[Ident], wanted: &str, party: &Ident) -> Diagnostic {
    let place = rest.get(1).unwrap_or(party);
    unknown(Thing::Relation, place, vec![Name::from(wanted)])
}

/// Names the relation that was meant, if its last name is enough to tell.
fn unknown_relation(party: &Ident, rest: &[Ident], symbols: &Symbols) -> Diagnostic {
    let known = relations(symbols);
    let mut diagnostic = unknown(Thing::Relation, party, known.clone());
    let last = rest.first().unwrap_or(party);
    if let Problem::Unknown { near, .. } = &mut diagnostic.problem
        && let Some(meant) = known.iter().find(|name| name.rsplit('.').next() == Some(&*last.text))
    {
        *near = Some(meant.clone());
    }
    diagnostic
}

/// Everything a promise can speak of.
fn relations(symbols: &Symbols) -> Vec<Name> {
    let tables = symbols.databases.iter().flat_map(|database| {
        let name = move |table: &crate::sql::TableSchema| Name::from(format!("{}.{}", database.name, table.name));
        database.tables.iter().map(name)
    });
    let queues = symbols.queues.iter().filter_map(|queue| {
        let broker = symbols.brokers.get(usize::from(queue.broker))?;
        Some(Name::from(format!("{}.{}", broker.name, queue.name)))
    });
    let outsides = symbols.outsides.iter().map(|outside| outside.record.name.clone());
    tables.chain(queues).chain(outsides).collect()
}

/// The fields of a relation's rows.
fn shape(relation: Relation, symbols: &Symbols) -> Shape {
    match relation {
        Relation::Table { database, table } => shape_of(symbols, database, table).into(),
        Relation::Changes { database, table } => {
            let mut shape = shape_of(symbols, database, table);
            shape.push((Name::from("change"), Type::Text));
            shape.into()
        }
        Relation::Queue(queue) | Relation::Dead(queue) => symbols.message_shape(queue).into(),
        Relation::Outside(outside) => {
            let outside = symbols.outsides.get(usize::from(outside));
            outside
                .map_or_else(Vec::new, |outside| table_shape(&outside.record))
                .into()
        }
    }
}
