//! From syntax to the program: every name resolved, every statement an instruction, types checked where both sides are known.
//!
//! Services are compiled until the types of variables and message fields stand still; only the last round reports.

mod code;
mod expression;
mod operators;
mod profile;
mod promise;
mod service;
mod sql;
mod statement;
mod symbols;
mod types;
mod variables;

use super::ast::File;
use super::diagnostics::{Diagnostic, Problem};
use crate::program::{Program, Scenario};
use crate::value::Name;
use std::rc::Rc;
use symbols::Symbols;

/// Rounds until types must stand still; those that still move are then taken as unknown.
const ROUNDS_MAX: usize = 6;

/// Compiles a file that was read without missing declarations; what is wrong is added to `diagnostics`.
pub fn compile(file: &File, diagnostics: &mut Vec<Diagnostic>) -> Scenario {
    let (file, notes) = profile::fit(file);
    let file = &*file;
    let mut symbols = symbols::declare(file, diagnostics);
    let services = services(file, &mut symbols, diagnostics);
    let promises = promise::promises(file, &symbols, diagnostics);
    let head = &file.scenario;
    Scenario {
        id: head.id.clone().unwrap_or_else(|| Name::from("")),
        title: head.title.clone(),
        about: head.about.clone(),
        variants: head.variants.clone(),
        system: head.system.clone(),
        pattern: head.pattern.clone(),
        reports: head.reports.clone(),
        faults: file.faults.clone(),
        promises,
        expected: file.expected.clone().unwrap_or_default(),
        notes,
        program: Rc::new(Program {
            databases: symbols.databases,
            brokers: symbols.brokers,
            queues: symbols.queues,
            topics: symbols.topics,
            outsides: symbols.outsides,
            services,
            until: head.until,
        }),
    }
}

fn services(file: &File, symbols: &mut Symbols, diagnostics: &mut Vec<Diagnostic>) -> Vec<crate::program::Service> {
    for round in 0.. {
        let mut found = Vec::new();
        let before = symbols.inferred.clone();
        let services = service::services(file, symbols, &mut found);
        let stable = symbols.inferred == before;
        if stable || found.iter().any(|d| matches!(d.problem, Problem::CodeTooLarge { .. })) {
            diagnostics.extend(found);
            return services;
        }
        if round >= ROUNDS_MAX {
            symbols.inferred.forget();
        }
    }
    Vec::new() // not reached: forgotten types are stable
}
