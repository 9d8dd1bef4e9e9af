//! Tables and the records of outside parties.

use super::super::expression::{Compiler, Names};
use super::super::types::Type;
use super::resolve::unknown;
use super::{Symbols, check_twice};
use crate::language::ast::{self, Ident};
use crate::language::diagnostics::{Diagnostic, Problem, Thing};
use crate::sql::{Column, DatabaseSchema, Default as ColumnDefault, TableSchema, Unique};
use crate::value::Name;

pub(super) fn database(
    database: &ast::Database,
    symbols: &Symbols,
    diagnostics: &mut Vec<Diagnostic>,
) -> DatabaseSchema {
    let names: Vec<&Ident> = database.tables.iter().map(|table| &table.name).collect();
    check_twice(Thing::Table, &names, diagnostics);
    DatabaseSchema {
        name: database.name.text.clone(),
        tables: (database.tables.iter().map(|one| table(one, symbols, diagnostics))).collect(),
        initial: Vec::new(),
    }
}

pub(super) fn table(table: &ast::Table, symbols: &Symbols, diagnostics: &mut Vec<Diagnostic>) -> TableSchema {
    let idents: Vec<&Ident> = table.columns.iter().map(|column| &column.name).collect();
    check_twice(Thing::Column, &idents, diagnostics);
    let mut schema = TableSchema {
        name: table.name.text.clone(),
        names: idents.iter().map(|name| name.text.clone()).collect(),
        columns: Vec::new(),
        uniques: Vec::new(),
    };
    for column in &table.columns {
        let default = match &column.default {
            _ if column.serial => ColumnDefault::Serial,
            None => ColumnDefault::Null,
            Some(value) => {
                let mut compiler = Compiler::new(symbols, Names::Constant, diagnostics);
                ColumnDefault::Expr(compiler.stored(value, &column.name.text, column.kind))
            }
        };
        schema.columns.push(Column {
            name: column.name.text.clone(),
            kind: column.kind,
            not_null: column.not_null,
            default,
        });
    }
    for unique in &table.uniques {
        add_unique(unique, &mut schema, diagnostics);
    }
    schema
}

pub(super) fn add_unique(unique: &ast::TableUnique, schema: &mut TableSchema, diagnostics: &mut Vec<Diagnostic>) {
    let mut columns = Vec::new();
    for name in &unique.columns {
        match schema.column(&name.text) {
            Some(column) => columns.push(column),
            None => diagnostics.push(unknown(Thing::Column, name, schema.names.to_vec())),
        }
    }
    if unique.primary {
        if schema.uniques.iter().any(|known| known.primary)
            && let Some(place) = unique.columns.first()
        {
            let problem = Problem::Twice {
                thing: Thing::Clause,
                name: Name::from("primary key"),
            };
            diagnostics.push(Diagnostic::new(place.span, problem));
        }
        for column in &columns {
            if let Some(column) = schema.columns.get_mut(usize::from(*column)) {
                column.not_null = true;
            }
        }
    }
    let name = match unique.primary {
        true => format!("{}_pkey", schema.name),
        false => {
            let names: Vec<&str> = unique.columns.iter().map(|name| &*name.text).collect();
            format!("{}_{}_key", schema.name, names.join("_"))
        }
    };
    schema.uniques.push(Unique {
        name: Name::from(name),
        columns,
        primary: unique.primary,
    });
}

/// The columns with their types.
pub fn table_shape(table: &TableSchema) -> Vec<(Name, Type)> {
    table
        .columns
        .iter()
        .map(|column| (column.name.clone(), column.kind.into()))
        .collect()
}
