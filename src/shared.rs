//! A value that clones share until one of them changes it.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Cloning costs one reference count; asking for a `&mut` copies the value if somebody else still holds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shared<T>(Rc<T>);

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Shared(Rc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
}
