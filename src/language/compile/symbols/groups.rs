//! Partitioned queues: their consumer groups, and rules that do not go with partitions.

use super::Symbols;
use crate::language::ast::{File, TriggerKind};
use crate::language::diagnostics::{Diagnostic, Problem};
use crate::program::Stale;
use crate::value::Name;

/// Notes every group that a text's receivers name; a receiver that names none belongs to the group of its service.
pub(super) fn declare(file: &File, symbols: &mut Symbols, diagnostics: &mut Vec<Diagnostic>) {
    for service in &file.services {
        for trigger in &service.triggers {
            let TriggerKind::Receive { queue, group, .. } = &trigger.kind else {
                continue;
            };
            // A queue that is unknown is reported where the trigger is compiled.
            let Ok(queue) = symbols.queue(queue) else { continue };
            let name = group.as_ref().map_or(&service.name.text, |group| &group.text);
            symbols.add_group(queue, name);
        }
    }
    check_rules(file, diagnostics);
}

fn check_rules(file: &File, diagnostics: &mut Vec<Diagnostic>) {
    for queue in file.brokers.iter().flat_map(|broker| &broker.queues) {
        let wrong = [
            (queue.stale == Some(Stale::Steals), "stale steals"),
            (queue.grouped, "grouped"),
        ];
        for (_, words) in wrong.iter().filter(|(said, _)| *said && queue.partitions.is_some()) {
            let queue_name = queue.name.text.clone();
            let problem = Problem::Partitioned {
                queue: queue_name,
                words,
            };
            diagnostics.push(Diagnostic::new(queue.name.span, problem));
        }
    }
}

impl Symbols {
    fn add_group(&mut self, queue: u16, name: &Name) {
        let Some(schema) = self.queues.get_mut(usize::from(queue)) else {
            return;
        };
        if schema.partitions.is_some() && !schema.groups.contains(name) {
            schema.groups = schema.groups.iter().chain([name]).cloned().collect();
        }
    }
}
