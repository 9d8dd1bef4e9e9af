//! One element of a shared list as a component's property, without a copy of it.
//!
//! Refuses to know: what the elements are.

use std::ops::Deref;
use std::rc::Rc;

/// The element at an index of a shared list. Equal if the elements are, whatever else the lists hold.
#[derive(Clone, Debug)]
pub struct Nth<T> {
    list: Rc<[T]>,
    index: usize,
}

impl<T> Nth<T> {
    /// All elements of a list, each ready to be a property.
    pub fn all(list: &Rc<[T]>) -> impl Iterator<Item = Nth<T>> + '_ {
        (0..list.len()).map(|index| Nth {
            list: Rc::clone(list),
            index,
        })
    }
}

impl<T> Deref for Nth<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // `all` made the index, and a shared list never shrinks.
        &self.list[self.index]
    }
}

impl<T: PartialEq> PartialEq for Nth<T> {
    fn eq(&self, other: &Nth<T>) -> bool {
        (Rc::ptr_eq(&self.list, &other.list) && self.index == other.index) || **self == **other
    }
}
