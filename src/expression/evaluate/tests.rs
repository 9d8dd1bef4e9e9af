use super::*;
use crate::expression::{Aggregate, Function, SqlType};
use Value::{Bool, Int, Interval, Null, Time};

/// Knows parameters, the time 7000, and one sub-select's rows.
#[derive(Default)]
struct Here {
    parameters: Vec<Value>,
    rows: Vec<Row>,
}

impl Scope for Here {
    fn parameter(&self, slot: u16) -> Value {
        self.parameters.get(usize::from(slot)).cloned().unwrap_or(Null)
    }
    fn now(&self) -> i64 {
        7_000
    }
    fn select(&self, _: &crate::sql::Select) -> Result<Vec<Row>, Failure> {
        Ok(self.rows.clone())
    }
}

fn of(expr: Expr) -> Result<Value, String> {
    evaluate(&expr, &Here::default()).map_err(|failure| failure.detail.to_string())
}

fn lit(value: Value) -> Box<Expr> {
    Box::new(Expr::Literal(value))
}

fn text(text: &str) -> Value {
    Value::text(text)
}

fn op(left: Value, operator: Operator, right: Value) -> Result<Value, String> {
    // Parameters, not literals: literals of unknown type have a rule of their own.
    let scope = Here {
        parameters: vec![left, right],
        ..Here::default()
    };
    let expr = Expr::Binary(operator, Box::new(Expr::Parameter(0)), Box::new(Expr::Parameter(1)));
    evaluate(&expr, &scope).map_err(|failure| failure.detail.to_string())
}

fn err(detail: &str) -> Result<Value, String> {
    Err(detail.to_string())
}

#[test]
fn and_or_not_are_three_valued() {
    use Operator::{And, Or};
    let (t, f) = (Bool(true), Bool(false));
    let table = [
        (&t, &t, &t, &t),
        (&t, &f, &f, &t),
        (&t, &Null, &Null, &t),
        (&f, &f, &f, &f),
        (&f, &Null, &f, &Null),
        (&Null, &Null, &Null, &Null),
    ];
    for (left, right, and, or) in table {
        for (a, b) in [(left, right), (right, left)] {
            assert_eq!(op(a.clone(), And, b.clone()), Ok(and.clone()), "{a} and {b}");
            assert_eq!(op(a.clone(), Or, b.clone()), Ok(or.clone()), "{a} or {b}");
        }
    }
    assert_eq!(of(Expr::Not(lit(Null))), Ok(Null));
    assert_eq!(
        of(Expr::Not(lit(Int(0)))),
        err("argument of NOT must be type boolean, not type integer")
    );
}

#[test]
fn the_deciding_left_operand_hides_an_error_on_the_right() {
    let bad = Box::new(Expr::Cast(lit(text("x")), SqlType::Int));
    let bad = || Box::new(Expr::IsNull(bad.clone()));
    assert_eq!(
        of(Expr::Binary(Operator::And, lit(Bool(false)), bad())),
        Ok(Bool(false))
    );
    assert_eq!(of(Expr::Binary(Operator::Or, lit(Bool(true)), bad())), Ok(Bool(true)));
    assert_eq!(
        of(Expr::Binary(Operator::And, lit(Bool(true)), bad())),
        err("invalid input syntax for type integer: \"x\"")
    );
}

#[test]
fn comparison_wants_one_type_and_null_is_unknown() {
    use Operator::{Equal, Less, NotEqual};
    assert_eq!(op(Int(1), Equal, Int(1)), Ok(Bool(true)));
    assert_eq!(op(Null, Equal, Null), Ok(Null));
    assert_eq!(op(Null, NotEqual, Int(1)), Ok(Null));
    assert_eq!(op(text("B"), Less, text("a")), Ok(Bool(true)), "by bytes");
    assert_eq!(
        op(Int(5), Equal, text("5")),
        err("operator does not exist: integer = text")
    );
    assert_eq!(
        op(Time(1), Less, Interval(1)),
        err("operator does not exist: timestamp with time zone < interval")
    );
}

#[test]
fn a_quoted_literal_takes_the_type_it_meets() {
    let equal = |left, right| of(Expr::Binary(Operator::Equal, lit(left), lit(right)));
    assert_eq!(equal(Int(5), text(" 5 ")), Ok(Bool(true)));
    assert_eq!(equal(text("30 s"), Interval(30_000)), Ok(Bool(true)));
    assert_eq!(equal(text("yes"), Bool(true)), Ok(Bool(true)));
    assert_eq!(
        equal(Int(5), text("evt-5")),
        err("invalid input syntax for type integer: \"evt-5\"")
    );
    let later = Expr::Binary(
        Operator::Add,
        Box::new(Expr::Call(Function::Now, vec![])),
        lit(text("1 min 500ms")),
    );
    assert_eq!(of(later), Ok(Time(67_500)));
}

#[test]
fn concatenation_needs_one_text() {
    use Operator::Concatenate;
    assert_eq!(op(text("evt-"), Concatenate, Int(7)), Ok(text("evt-7")));
    assert_eq!(op(Int(7), Concatenate, text("!")), Ok(text("7!")));
    assert_eq!(op(text("is "), Concatenate, Bool(true)), Ok(text("is true")));
    assert_eq!(op(text("x"), Concatenate, Null), Ok(Null));
    assert_eq!(
        op(Int(1), Concatenate, Int(2)),
        err("operator does not exist: integer || integer")
    );
}

#[test]
fn a_text_does_not_grow_without_end() {
    let long = |bytes: usize| text(&"x".repeat(bytes));
    assert!(op(long(9_999), Operator::Concatenate, long(1)).is_ok());
    let failed = op(long(9_999), Operator::Concatenate, long(2));
    assert_eq!(failed, Err("a text has at most 10000 bytes".to_owned()));
}

#[test]
fn arithmetic_is_checked_and_knows_time() {
    use Operator::{Add, Multiply, Subtract};
    assert_eq!(op(Int(2), Add, Int(3)), Ok(Int(5)));
    assert_eq!(op(Int(i64::MAX), Add, Int(1)), err("bigint out of range"));
    assert_eq!(op(Int(i64::MAX), Multiply, Int(2)), err("bigint out of range"));
    assert_eq!(op(Int(2), Add, Null), Ok(Null));
    assert_eq!(op(Time(5), Add, Interval(7)), Ok(Time(12)));
    assert_eq!(op(Interval(7), Add, Time(5)), Ok(Time(12)));
    assert_eq!(op(Time(5), Subtract, Time(2)), Ok(Interval(3)));
    assert_eq!(op(Interval(5), Multiply, Int(3)), Ok(Interval(15)));
    assert_eq!(
        op(Time(5), Add, Time(2)),
        err("operator does not exist: timestamp with time zone + timestamp with time zone")
    );
    assert_eq!(of(Expr::Negate(lit(Int(4)))), Ok(Int(-4)));
    assert_eq!(of(Expr::Negate(lit(Int(i64::MIN)))), err("bigint out of range"));
}

#[test]
fn casts_speak_as_postgresql_does() {
    let to = |value, kind| of(Expr::Cast(lit(value), kind));
    assert_eq!(to(text(" -42 "), SqlType::Int), Ok(Int(-42)));
    assert_eq!(
        to(text(""), SqlType::Int),
        err("invalid input syntax for type integer: \"\"")
    );
    assert_eq!(
        to(text("4 2"), SqlType::Int),
        err("invalid input syntax for type integer: \"4 2\"")
    );
    assert_eq!(
        to(text("2147483648"), SqlType::Int),
        err("value \"2147483648\" is out of range for type integer")
    );
    assert_eq!(to(text("2147483648"), SqlType::BigInt), Ok(Int(2_147_483_648)));
    assert_eq!(to(Int(2_147_483_648), SqlType::Int), err("integer out of range"));
    assert_eq!(to(Null, SqlType::Int), Ok(Null));
    assert_eq!(to(Bool(true), SqlType::Int), Ok(Int(1)));
    assert_eq!(
        to(Bool(true), SqlType::BigInt),
        err("cannot cast type boolean to bigint")
    );
    assert_eq!(to(Int(7), SqlType::Text), Ok(text("7")));
    assert_eq!(to(text("off"), SqlType::Boolean), Ok(Bool(false)));
    assert_eq!(
        to(text("o"), SqlType::Boolean),
        err("invalid input syntax for type boolean: \"o\"")
    );
    assert_eq!(to(text("1.5s"), SqlType::Interval), Ok(Interval(1_500)));
    assert_eq!(to(text("-2 days"), SqlType::Interval), Ok(Interval(-172_800_000)));
    assert_eq!(
        to(text("soon"), SqlType::Interval),
        err("invalid input syntax for type interval: \"soon\"")
    );
}

#[test]
fn in_is_unknown_beside_a_null() {
    let in_list = |needle, items: Vec<Value>| {
        of(Expr::InList(
            lit(needle),
            items.into_iter().map(Expr::Literal).collect(),
        ))
    };
    assert_eq!(in_list(Int(1), vec![Int(2), Null, Int(1)]), Ok(Bool(true)));
    assert_eq!(in_list(Int(1), vec![Int(2), Null]), Ok(Null));
    assert_eq!(in_list(Int(1), vec![Int(2)]), Ok(Bool(false)));
    assert_eq!(in_list(Null, vec![Int(2)]), Ok(Null));

    let in_value = |needle, items: Vec<Value>| of(Expr::InValue(lit(needle), lit(Value::List(items.into()))));
    let row = Value::Row(Row::new(["id".into(), "body".into()].into(), vec![Int(4), text("x")]));
    assert_eq!(in_value(Int(4), vec![row]), Ok(Bool(true)));
    assert_eq!(in_value(Null, vec![]), Ok(Bool(false)), "nothing is in an empty list");
    assert_eq!(
        of(Expr::InValue(lit(Int(1)), lit(Int(1)))),
        err("IN needs a list, not a value of type integer")
    );
}

#[test]
fn sub_selects_give_rows_a_value_or_an_answer() {
    let select = std::rc::Rc::new(crate::sql::Select {
        table: 0,
        items: crate::sql::Items {
            names: ["id".into()].into(),
            exprs: vec![],
            aggregates: false,
        },
        filter: None,
        order_by: vec![],
        limit: None,
        lock: None,
    });
    let with = |ids: &[i64], expr: &Expr| {
        let rows = ids
            .iter()
            .map(|id| Row::new(["id".into()].into(), vec![Int(*id)]))
            .collect();
        let scope = Here {
            rows,
            ..Here::default()
        };
        evaluate(expr, &scope).map_err(|failure| failure.detail.to_string())
    };
    let (exists, scalar) = (Expr::Exists(select.clone()), Expr::Scalar(select.clone()));
    assert_eq!(with(&[], &exists), Ok(Bool(false)));
    assert_eq!(with(&[7], &exists), Ok(Bool(true)));
    assert_eq!(with(&[], &scalar), Ok(Null));
    assert_eq!(with(&[7], &scalar), Ok(Int(7)));
    assert_eq!(
        with(&[7, 8], &scalar),
        err("more than one row returned by a subquery used as an expression")
    );
    assert_eq!(with(&[7, 8], &Expr::InSelect(lit(Int(8)), select)), Ok(Bool(true)));
}

#[test]
fn split_part_counts_from_either_end() {
    let split = |of_text: &str, delimiter: &str, n| {
        of(Expr::Call(
            Function::SplitPart,
            vec![
                Expr::Literal(text(of_text)),
                Expr::Literal(text(delimiter)),
                Expr::Literal(Int(n)),
            ],
        ))
    };
    assert_eq!(split("OrderPlaced 1003", " ", 2), Ok(text("1003")));
    assert_eq!(split("a,b,c", ",", -1), Ok(text("c")));
    assert_eq!(split("a,b,c", ",", 4), Ok(text("")));
    assert_eq!(split("a,b,c", ",", -4), Ok(text("")));
    assert_eq!(split("abc", "", 1), Ok(text("abc")));
    assert_eq!(split("abc", "", 2), Ok(text("")));
    assert_eq!(split("", ",", 1), Ok(text("")));
    assert_eq!(split("a", ",", 0), err("field position must not be zero"));
}

#[test]
fn functions_of_nulls_lists_and_text() {
    let call =
        |function, arguments: Vec<Value>| of(Expr::Call(function, arguments.into_iter().map(Expr::Literal).collect()));
    assert_eq!(call(Function::Coalesce, vec![Null, Int(2), Int(3)]), Ok(Int(2)));
    assert_eq!(call(Function::Coalesce, vec![Null]), Ok(Null));
    assert_eq!(call(Function::Length, vec![text("äöü")]), Ok(Int(3)));
    assert_eq!(
        call(Function::Length, vec![Value::List(vec![Null, Null].into())]),
        Ok(Int(2))
    );
    assert_eq!(
        call(Function::Length, vec![Int(3)]),
        err("function length(integer) does not exist")
    );
    assert_eq!(call(Function::Fresh, vec![text("pay")]), Ok(text("pay-1")));
    assert_eq!(call(Function::Now, vec![]), Ok(Time(7_000)));
}

#[test]
fn aggregates_leave_nulls_out() {
    let values = [Int(3), Null, Int(1)];
    assert_eq!(aggregate(Aggregate::Count, &values), Ok(Int(2)));
    assert_eq!(aggregate(Aggregate::Sum, &values), Ok(Int(4)));
    assert_eq!(aggregate(Aggregate::Min, &values), Ok(Int(1)));
    assert_eq!(aggregate(Aggregate::Max, &values), Ok(Int(3)));
    assert_eq!(aggregate(Aggregate::Count, &[]), Ok(Int(0)));
    assert_eq!(aggregate(Aggregate::Sum, &[Null]), Ok(Null));
    assert_eq!(aggregate(Aggregate::Max, &[]), Ok(Null));
    assert!(aggregate(Aggregate::Sum, &[text("x")]).is_err());
    assert!(aggregate(Aggregate::Min, &[Bool(true)]).is_err());
}

#[test]
fn fields_of_rows_lists_and_nothing() {
    let row = Value::Row(Row::new(["id".into()].into(), vec![Int(4)]));
    let field = |value: Value, name: &str| of(Expr::Field(lit(value), name.into()));
    assert_eq!(field(row.clone(), "id"), Ok(Int(4)));
    assert_eq!(field(Value::List(vec![row.clone()].into()), "id"), Ok(Int(4)));
    assert_eq!(field(Value::List(Default::default()), "id"), Ok(Null));
    assert_eq!(field(row, "other"), Ok(Null));
    assert_eq!(field(Null, "id"), Ok(Null));
    assert_eq!(
        field(Int(4), "id"),
        err("cannot read field \"id\" of a value of type integer")
    );
}
