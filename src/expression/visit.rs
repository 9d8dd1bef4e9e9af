//! What an expression consists of.

use super::Expr;
use crate::sql::Select;
use std::rc::Rc;

impl Expr {
    /// Calls `each` for the expression and everything in it, sub-selects' insides excepted.
    pub(crate) fn visit<'e>(&'e self, each: &mut dyn FnMut(&'e Expr)) {
        each(self);
        match self {
            Expr::Field(of, _) | Expr::Not(of) | Expr::Negate(of) | Expr::IsNull(of) | Expr::Cast(of, _) => {
                of.visit(each);
            }
            Expr::Aggregate(_, of) => {
                if let Some(of) = of {
                    of.visit(each);
                }
            }
            Expr::Binary(_, left, right) | Expr::InValue(left, right) => {
                left.visit(each);
                right.visit(each);
            }
            Expr::InList(needle, items) => {
                needle.visit(each);
                items.iter().for_each(|item| item.visit(each));
            }
            Expr::InSelect(needle, _) => needle.visit(each),
            Expr::Call(_, arguments) => arguments.iter().for_each(|argument| argument.visit(each)),
            Expr::Literal(_)
            | Expr::Column { .. }
            | Expr::Local(_)
            | Expr::Memory(_)
            | Expr::Parameter(_)
            | Expr::Me
            | Expr::Exists(_)
            | Expr::Scalar(_)
            | Expr::EmptyList => {}
        }
    }

    /// The sub-select that it itself contains.
    pub(crate) fn sub_select(&self) -> Option<&Rc<Select>> {
        match self {
            Expr::InSelect(_, select) | Expr::Exists(select) | Expr::Scalar(select) => Some(select),
            _ => None,
        }
    }
}
