//! The variables of one service: locals of the block at hand, and the memory of the instance.

use super::types::Type;
use crate::expression::Slot;
use crate::language::ast::Ident;
use crate::program::Place;
use crate::value::Name;
use std::collections::BTreeMap;

/// Slots are given in text sequence and never twice, so that round after round a slot means the same variable.
pub struct Variables {
    /// By slot; empty for made-up ones.
    pub names: Vec<Name>,
    /// By slot.
    pub types: Vec<Type>,
    /// What the round before found, by slot.
    seeds: Vec<Type>,
    scope: BTreeMap<Name, Slot>,
    pub memory: Vec<(Name, Type)>,
}

impl Variables {
    pub fn new(seeds: Vec<Type>, memory: Vec<(Name, Type)>) -> Variables {
        Variables {
            names: Vec::new(),
            types: Vec::new(),
            seeds,
            scope: BTreeMap::new(),
            memory,
        }
    }

    /// Starts a block with variables of its own; returns those of the block before.
    pub fn enter(&mut self) -> BTreeMap<Name, Slot> {
        std::mem::take(&mut self.scope)
    }

    pub fn leave(&mut self, scope: BTreeMap<Name, Slot>) {
        self.scope = scope;
    }

    /// A slot that no name of the text means.
    pub fn made_up(&mut self) -> Slot {
        self.slot(Name::from(""))
    }

    fn slot(&mut self, name: Name) -> Slot {
        let index = self.names.len();
        self.types.push(self.seeds.get(index).cloned().unwrap_or(Type::Nothing));
        self.names.push(name);
        Slot::try_from(index).unwrap_or(Slot::MAX) // bounded by the code's size
    }

    /// A new local variable, whatever the name meant before.
    pub fn declare(&mut self, name: &Ident, kind: Type) -> Slot {
        let slot = self.slot(name.text.clone());
        self.scope.insert(name.text.clone(), slot);
        self.learn(Place::Local(slot), kind);
        slot
    }

    /// Where an assignment to this name goes; a name that is new becomes a local.
    pub fn place(&mut self, name: &Ident) -> Place {
        match self.find(&name.text) {
            Some((place, _)) => place,
            None => Place::Local(self.declare(name, Type::Nothing)),
        }
    }

    pub fn find(&self, name: &str) -> Option<(Place, &Type)> {
        if let Some(slot) = self.scope.get(name) {
            let kind = self.types.get(usize::from(*slot))?;
            return Some((Place::Local(*slot), kind));
        }
        let index = self.memory.iter().position(|(known, _)| &**known == name)?;
        let (_, kind) = self.memory.get(index)?;
        Some((Place::Memory(Slot::try_from(index).ok()?), kind))
    }

    pub fn is_memory(&self, name: &str) -> bool {
        self.memory.iter().any(|(known, _)| &**known == name)
    }

    /// A value of this type goes to the place.
    pub fn learn(&mut self, place: Place, kind: Type) {
        let known = match place {
            Place::Local(slot) => self.types.get_mut(usize::from(slot)),
            Place::Memory(slot) => self.memory.get_mut(usize::from(slot)).map(|(_, kind)| kind),
        };
        if let Some(known) = known {
            *known = known.join(&kind).flattened();
        }
    }

    /// All names that can be used here.
    pub fn known(&self) -> Vec<Name> {
        let memory = self.memory.iter().map(|(name, _)| name.clone());
        self.scope.keys().cloned().chain(memory).collect()
    }
}
