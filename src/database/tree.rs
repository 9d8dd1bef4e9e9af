//! A persistent ordered map: a B-tree whose nodes are shared between clones.
//!
//! Cloning costs one reference count at any size; a change copies only the nodes on its path that somebody else still holds.
//! Entries lie side by side in leaves, so an entry costs its own size and little more (a red-black tree costs a hundred bytes
//! each). Refuses to know: what keys and values mean.

use std::fmt;
use std::rc::Rc;

/// Most entries of a leaf and children of a branch.
const WIDTH: usize = 32;

#[derive(Clone)]
pub(super) struct Tree<K, V> {
    root: Rc<Node<K, V>>,
}

#[derive(Clone)]
enum Node<K, V> {
    Leaf(Vec<(K, V)>),
    /// Each child under a key that is not greater than any of its keys. Never empty.
    Branch(Vec<(K, Rc<Node<K, V>>)>),
}

impl<K: Ord + Clone, V: Clone> Tree<K, V> {
    pub(super) fn new() -> Self {
        Tree {
            root: Rc::new(Node::Leaf(Vec::new())),
        }
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        let mut node = &*self.root;
        loop {
            match node {
                Node::Leaf(entries) => {
                    let position = entries.binary_search_by(|(k, _)| k.cmp(key)).ok()?;
                    return entries.get(position).map(|(_, value)| value);
                }
                Node::Branch(children) => node = &children.get(child_of(children, key))?.1,
            }
        }
    }

    /// The value of a key, which is made first if there is none.
    pub(super) fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        if self.get(&key).is_none() {
            self.insert(key.clone(), make());
        }
        let mut node = Rc::make_mut(&mut self.root);
        loop {
            match node {
                // The key is there, so is a child for it and, in the end, its entry.
                Node::Leaf(entries) => {
                    let position = entries.partition_point(|(k, _)| *k < key);
                    return &mut entries[position].1;
                }
                Node::Branch(children) => {
                    let position = child_of(children, &key);
                    node = Rc::make_mut(&mut children[position].1);
                }
            }
        }
    }

    /// Sets the value of a key and returns the one it had.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (old, split) = Rc::make_mut(&mut self.root).insert(key, value);
        if let Some(right) = split {
            let left = std::mem::replace(&mut self.root, Rc::new(Node::Leaf(Vec::new())));
            let keyed = [left, right]
                .into_iter()
                .filter_map(|node| Some((node.first_key()?.clone(), node)));
            self.root = Rc::new(Node::Branch(keyed.collect()));
        }
        old
    }

    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        // Looking first keeps shared nodes uncopied when there is nothing to remove.
        self.get(key)?;
        let old = Rc::make_mut(&mut self.root).remove(key);
        while let Node::Branch(children) = &*self.root {
            match children.as_slice() {
                [] => self.root = Rc::new(Node::Leaf(Vec::new())),
                [(_, only)] => self.root = Rc::clone(only),
                _ => break,
            }
        }
        old
    }

    /// Removes the entries whose value is not to stay.
    pub(super) fn retain(&mut self, stays: impl Fn(&V) -> bool) {
        let gone = self
            .iter()
            .filter(|(_, value)| !stays(value))
            .map(|(key, _)| key.clone());
        for key in gone.collect::<Vec<K>>() {
            self.remove(&key);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(&*self.root, Node::Leaf(entries) if entries.is_empty())
    }

    /// All entries by ascending key.
    pub(super) fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            path: vec![Cursor::new(&self.root)],
            reverse: false,
        }
    }

    /// All entries by descending key.
    pub(super) fn iter_descending(&self) -> Iter<'_, K, V> {
        Iter {
            path: vec![Cursor::new(&self.root)],
            reverse: true,
        }
    }
}

/// The child that has the key, if any has.
fn child_of<K: Ord, N>(children: &[(K, N)], key: &K) -> usize {
    children.partition_point(|(lowest, _)| lowest <= key).saturating_sub(1)
}

impl<K: Ord + Clone, V: Clone> Node<K, V> {
    fn first_key(&self) -> Option<&K> {
        match self {
            Node::Leaf(entries) => entries.first().map(|(key, _)| key),
            Node::Branch(children) => children.first().map(|(key, _)| key),
        }
    }

    /// The old value, and the node's right part if it had to be split.
    #[allow(clippy::type_complexity)]
    fn insert(&mut self, key: K, value: V) -> (Option<V>, Option<Rc<Self>>) {
        match self {
            Node::Leaf(entries) => match entries.binary_search_by(|(k, _)| k.cmp(&key)) {
                // The position is one that the search has just found.
                Ok(position) => (Some(std::mem::replace(&mut entries[position].1, value)), None),
                Err(position) => {
                    entries.insert(position, (key, value));
                    (None, split(entries, position).map(|right| Rc::new(Node::Leaf(right))))
                }
            },
            Node::Branch(children) => {
                let position = child_of(children, &key);
                // A branch is never empty, so there is a child for every key.
                let (lowest, child) = &mut children[position];
                if key < *lowest {
                    *lowest = key.clone();
                }
                let (old, right) = Rc::make_mut(child).insert(key, value);
                let Some(right) = right else { return (old, None) };
                let Some(first) = right.first_key().cloned() else {
                    return (old, None);
                };
                children.insert(position + 1, (first, right));
                (
                    old,
                    split(children, position + 1).map(|right| Rc::new(Node::Branch(right))),
                )
            }
        }
    }

    fn remove(&mut self, key: &K) -> Option<V> {
        match self {
            Node::Leaf(entries) => {
                let position = entries.binary_search_by(|(k, _)| k.cmp(key)).ok()?;
                Some(entries.remove(position).1)
            }
            Node::Branch(children) => {
                let position = child_of(children, key);
                let child = Rc::make_mut(&mut children.get_mut(position)?.1);
                let old = child.remove(key);
                if child.first_key().is_none() {
                    children.remove(position);
                }
                old
            }
        }
    }
}

/// The right part of a list that has become too long: half of it, or only the newest entry if that is the last, so that
/// ascending inserts leave full nodes behind.
fn split<T>(items: &mut Vec<T>, newest: usize) -> Option<Vec<T>> {
    if items.len() <= WIDTH {
        return None;
    }
    let at = if newest + 1 == items.len() {
        newest
    } else {
        items.len() / 2
    };
    Some(items.split_off(at))
}

/// A node and how many of its items have been passed.
struct Cursor<'a, K, V> {
    node: &'a Node<K, V>,
    passed: usize,
}

impl<'a, K, V> Cursor<'a, K, V> {
    fn new(node: &'a Node<K, V>) -> Self {
        Cursor { node, passed: 0 }
    }
}

pub(super) struct Iter<'a, K, V> {
    /// From the root down to the node at hand.
    path: Vec<Cursor<'a, K, V>>,
    reverse: bool,
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let cursor = self.path.last_mut()?;
            let length = match cursor.node {
                Node::Leaf(entries) => entries.len(),
                Node::Branch(children) => children.len(),
            };
            if cursor.passed == length {
                self.path.pop();
                continue;
            }
            let position = if self.reverse {
                length - 1 - cursor.passed
            } else {
                cursor.passed
            };
            cursor.passed += 1;
            match cursor.node {
                Node::Leaf(entries) => return entries.get(position).map(|(key, value)| (key, value)),
                Node::Branch(children) => {
                    let (_, child) = children.get(position)?;
                    self.path.push(Cursor::new(child));
                }
            }
        }
    }
}

/// By content: two trees are equal if their entries are, however they are split into nodes.
impl<K: Ord + Clone + PartialEq, V: Clone + PartialEq> PartialEq for Tree<K, V> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.root, &other.root) || self.iter().eq(other.iter())
    }
}

impl<K: Ord + Clone + fmt::Debug, V: Clone + fmt::Debug> fmt::Debug for Tree<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Every sequence of changes gives what the standard map gives, and a clone taken midway keeps what it had.
        #[test]
        fn behaves_as_an_ordered_map(changes in prop::collection::vec((any::<bool>(), 0u16..300), 0..600), midway in 0usize..600) {
            let (mut tree, mut map) = (Tree::new(), BTreeMap::new());
            let mut clone = None;
            for (n, (insert, key)) in changes.iter().enumerate() {
                if n == midway {
                    clone = Some((tree.clone(), map.clone()));
                }
                if *insert {
                    prop_assert_eq!(tree.insert(*key, n), map.insert(*key, n));
                } else {
                    prop_assert_eq!(tree.remove(key), map.remove(key));
                }
                prop_assert_eq!(tree.get(key), map.get(key));
            }
            prop_assert!(tree.iter().eq(map.iter()));
            prop_assert!(tree.iter_descending().eq(map.iter().rev()));
            if let Some((tree, map)) = clone {
                prop_assert!(tree.iter().eq(map.iter()));
            }
        }
    }

    #[test]
    fn ascending_inserts_fill_their_leaves() {
        let mut tree = Tree::new();
        for n in 0..10_000_u32 {
            tree.insert(n, ());
        }
        let Node::Branch(children) = &*tree.root else {
            panic!("10,000 entries in one leaf")
        };
        // 10,000 / 32 leaves / 32: ten full branches; half-full nodes would need more than forty.
        assert!(children.len() <= 11, "{} children", children.len());
    }

    #[test]
    fn removing_from_the_front_leaves_no_empty_nodes() {
        let mut tree = Tree::new();
        for n in 0..5_000_u32 {
            tree.insert(n, n);
        }
        for n in 0..4_999_u32 {
            assert_eq!(tree.remove(&n), Some(n));
        }
        assert!(matches!(&*tree.root, Node::Leaf(entries) if entries.len() == 1));
    }
}
