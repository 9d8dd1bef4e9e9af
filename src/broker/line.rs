//! The ready messages of a queue, and which of them may be handed out: of a group only the oldest, and none while the group
//! is held. A group is held by the message of it that is in flight, or that waits for another attempt. The oldest comes first,
//! but for messages that came back and are to be delivered again in turn: they come before all others.
//! Refuses to know: receivers, time, and why a message is ready.

use super::Message;
use crate::value::Value;
use rpds::{RedBlackTreeMap, Vector};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    /// May be handed out, the oldest first: messages without a group, and the oldest of each group that is not held.
    open: RedBlackTreeMap<u32, Message>,
    /// Ready behind another message of their group.
    hidden: RedBlackTreeMap<u32, Message>,
    /// The hidden ones by group.
    members: RedBlackTreeMap<(Value, u32), ()>,
    /// The open one of each group, by number.
    heads: RedBlackTreeMap<Value, u32>,
    /// The message that holds a group, by number. It is not in line.
    held: RedBlackTreeMap<Value, u32>,
    /// Open ones that came back, by number, in the sequence in which they did.
    returned: Vector<u32>,
}

impl Line {
    pub fn len(&self) -> usize {
        self.open.size() + self.hidden.size()
    }

    /// All of them: those that came back, then the others by number.
    pub fn iter(&self) -> impl Iterator<Item = &Message> {
        let returned = self.returned.iter().filter_map(|number| self.open.get(number));
        let open = self.open.values().filter(|message| !self.is_returned(message.number));
        let (mut open, mut hidden) = (open.peekable(), self.hidden.values().peekable());
        returned.chain(std::iter::from_fn(move || match (open.peek(), hidden.peek()) {
            (Some(first), Some(second)) if second.number < first.number => hidden.next(),
            (Some(_), _) => open.next(),
            (None, _) => hidden.next(),
        }))
    }

    /// True for a message that came back and is delivered again before all others.
    pub fn is_returned(&self, number: u32) -> bool {
        self.returned.iter().any(|returned| *returned == number)
    }

    /// A message came back and is delivered again before all that have not, after those that came back earlier.
    pub fn put_in_turn(&mut self, message: Message) {
        self.returned.push_back_mut(message.number);
        self.put(message);
    }

    pub fn get(&self, number: u32) -> Option<&Message> {
        self.open.get(&number).or_else(|| self.hidden.get(&number))
    }

    /// True for a message that is ready and waits for the end of another of its group.
    pub fn is_held_back(&self, number: u32) -> bool {
        let group = self.hidden.get(&number).and_then(|message| message.group.as_ref());
        group.is_some_and(|group| self.held.contains_key(group))
    }

    /// A message is ready, at its place by number.
    pub fn put(&mut self, message: Message) {
        let Some(group) = message.group.clone() else {
            self.open.insert_mut(message.number, message);
            return;
        };
        match self.heads.get(&group).copied() {
            _ if self.held.contains_key(&group) => self.hide(group, message),
            Some(head) if head < message.number => self.hide(group, message),
            Some(head) => {
                if let Some(younger) = self.open.get(&head).cloned() {
                    self.open.remove_mut(&head);
                    self.hide(group.clone(), younger);
                }
                self.open_head(group, message);
            }
            None => self.open_head(group, message),
        }
    }

    fn hide(&mut self, group: Value, message: Message) {
        self.members.insert_mut((group, message.number), ());
        self.hidden.insert_mut(message.number, message);
    }

    fn open_head(&mut self, group: Value, message: Message) {
        self.heads.insert_mut(group, message.number);
        self.open.insert_mut(message.number, message);
    }

    /// Takes out the message that is handed out next; it holds its group from now on.
    pub fn hand_out(&mut self) -> Option<Message> {
        let oldest = self.open.first().map(|(number, _)| *number);
        let mut returned = self.returned.iter().copied();
        let first = returned.find(|number| self.open.contains_key(number));
        self.hand_out_number(first.or(oldest)?)
    }

    /// As [`Line::hand_out`], a certain one; none if it is not in line or hidden.
    pub fn hand_out_number(&mut self, number: u32) -> Option<Message> {
        let message = self.take_open(number)?;
        if let Some(group) = &message.group {
            self.heads.remove_mut(group);
            self.held.insert_mut(group.clone(), number);
        }
        Some(message)
    }

    fn take_open(&mut self, number: u32) -> Option<Message> {
        let message = self.open.get(&number).cloned()?;
        self.open.remove_mut(&number);
        if self.is_returned(number) {
            self.returned = self.returned.iter().copied().filter(|other| *other != number).collect();
        }
        Some(message)
    }

    /// Takes out a message for good.
    pub fn remove(&mut self, number: u32) -> Option<Message> {
        if let Some(message) = self.take_open(number) {
            if let Some(group) = &message.group {
                self.heads.remove_mut(group);
                self.open_next(group);
            }
            return Some(message);
        }
        let message = self.hidden.get(&number).cloned()?;
        self.hidden.remove_mut(&number);
        if let Some(group) = &message.group {
            self.members.remove_mut(&(group.clone(), number));
        }
        Some(message)
    }

    /// Takes out everything; who holds a group goes on holding it.
    pub fn drain(&mut self) -> Vec<Message> {
        let all = self.iter().cloned().collect();
        let held = std::mem::take(&mut self.held);
        *self = Line {
            held,
            ..Line::default()
        };
        all
    }

    /// This message holds its group no more: the oldest of the group may be handed out.
    pub fn let_go(&mut self, message: &Message) {
        let Some(group) = &message.group else { return };
        if self.held.get(group) == Some(&message.number) {
            self.held.remove_mut(group);
            self.open_next(group);
        }
    }

    fn open_next(&mut self, group: &Value) {
        let first = self.members.range((group.clone(), 0)..).next();
        let next = first
            .filter(|((of, _), ())| of == group)
            .map(|((_, number), ())| *number);
        let Some(message) = next.and_then(|number| self.hidden.get(&number)).cloned() else {
            return;
        };
        self.hidden.remove_mut(&message.number);
        self.members.remove_mut(&(group.clone(), message.number));
        self.open_head(group.clone(), message);
    }
}
