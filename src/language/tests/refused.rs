//! Diagnostics one by one: place and message. Lines and columns in a block count from its first statement.

use super::{in_service, problems, shown};
use crate::language::{Problem, parse};
use crate::words::Language;

/// The only problem of a block.
fn only(block: &str) -> String {
    let mut problems = problems(block);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    problems.remove(0)
}

/// The problems of a whole text.
fn all(text: &str) -> String {
    shown(&parse(text).expect_err("an error"))
}

macro_rules! refused {
    ($($name:ident: $block:expr => $message:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(only($block), $message);
        }
    )*};
}

refused! {
    a_misspelt_statement: "selct id from orders" => "1:1 found `selct`, did you mean `select`? Expected `ack`, `append`, `begin`, `break`, `call`, `commit`, `commit prepared`, `confirm`, `delete from`, `done`, `exit`, `extend`, `fail`, `for`, `if`, `insert into`, `keep`, `nack`, `prepare transaction`, `publish`, `redrive`, `repeat`, `return`, `rollback`, `rollback prepared`, `rollback to`, `savepoint`, `select`, `sleep`, `try`, `update` or an assignment or a call of a handler";
    a_missing_word: "update orders st total = 1" => "1:15 found `st`, did you mean `set`? Expected `set` or `.`";
    the_end_of_a_line: "publish events" => "1:15 expected `(` or `.`, found the end of the line";
    something_behind_a_statement: "commit twice" => "1:8 expected `on` or the end of the line, found `twice`";
    a_word_that_comes_later: "publish events (id = 1) twice" => "1:25 expected `after`, `async` or the end of the line, found `twice`";
    the_value_of_a_publish_that_is_waited_for: "x = publish events (id = 1)" => "1:5 this request gives no value that could be assigned";
    confirming_a_number: "confirm count" => "1:9 expected publish handle, found int";
    confirming_a_list_of_handles: "sent = publish events (id = 1) async\nappend sent to batch\nconfirm batch" => "3:9 expected publish handle, found list";
    confirming_nothing: "confirm" => "1:8 expected a name, found the end of the line";
    storing_a_handle: "sent = publish events (id = 1) async\ninsert into orders (id, note, total) values (1, :sent, 2)" => "2:49 column `note` is of type text, the value is of type publish handle";
    a_delay_inside_a_partition: "publish log (id = 1) after 5s" => "1:9 `after` does not go with queue `log`: it has partitions, which keep their messages and are read in order";
    sending_back_from_a_partition: "redrive log to events" => "1:1 `redrive` does not go with queue `log`: it has partitions, which keep their messages and are read in order";
    isolation_on_a_broker: "begin on rabbit isolation level serializable" => "1:1 `isolation level` is for databases: a transaction on broker `rabbit` has none";
    a_savepoint_on_a_broker: "savepoint a on rabbit" => "1:1 `savepoint` is for databases: a transaction on broker `rabbit` has none";
    a_number_for_a_prepared_transaction_on_a_broker: "prepare transaction 5 on rabbit" => "1:21 expected `:` or a text in quotes ('…'), found `5`";
    an_open_text: "x = 'abc" => "1:5 the text that starts with ' has no end on this line";
    an_unknown_unit: "sleep 5parsecs" => "1:7 `parsecs` is no unit of time: expected `ms`, `s`, `min`, `h` or `d`";
    a_huge_number: "x = 99999999999999999999" => "1:5 this number is too large";
    a_character: "x = 1 ? 2" => "1:7 `?` has no meaning here";
    an_unknown_table: "select id from ordres" => "1:16 there is no table `ordres`, did you mean `orders`? There is `orders` and `other`";
    an_unknown_column: "select idd from orders" => "1:8 there is no column `idd`, did you mean `id`? There is `id`, `note`, `total`, `sent` and `at`";
    an_unknown_column_to_set: "update orders set xyz = 1" => "1:19 there is no column `xyz`, there is `id`, `note`, `total`, `sent` and `at`";
    an_unknown_queue: "publish evnts (id = 1)" => "1:9 there is no queue or topic `evnts`, did you mean `events`? There is `events`, `other`, `log` and `news`";
    an_unknown_variable: "x = cuont" => "1:5 there is no variable `cuont`, did you mean `count`? There is `count` and `batch`";
    an_unknown_field_of_a_result: "rows = select id, note as text from orders\nx = rows.idd" => "2:10 there is no field `idd`, did you mean `id`? There is `id` and `text`";
    an_unknown_field_in_a_loop: "for r in batch sleep 1s\nrows = select id from orders\nfor row in rows\n  x = row.total" => "4:11 there is no field `total`, there is `id`";
    an_unknown_handler: "plce(1, 2)" => "1:1 there is no handler `plce`, did you mean `place`? There is `place`";
    an_unknown_handler_elsewhere: "call Shop.place(1)" => "1:11 there is no handler `place`, there is `greet`";
    an_unknown_service: "call Shp.greet(1)" => "1:6 there is no service `Shp`, did you mean `Shop`? There is `Shop` and `S`";
    an_unknown_outside_party: "call bnk (amount = 1)" => "1:6 there is no outside party `bnk`, did you mean `bank`? There is `bank`";
    an_unknown_field_of_a_party: "call bank (amnt = 1)" => "1:12 there is no field `amnt`, did you mean `amount`? There is `order_id` and `amount`";
    an_unknown_function: "x = lenght(batch) + 1" => "1:5 there is no function `lenght`, did you mean `length`? There is `now`, `split_part`, `coalesce`, `length`, `fresh`, `count`, `sum`, `min` and `max`";
    an_unknown_class: "commit\non duplicat done" => "2:4 found `duplicat`, did you mean `duplicate`? Expected `aborted`, `deadlock`, `duplicate`, `error`, `refused`, `serialization`, `timeout` or `unreachable`";
    a_table_of_another_database: "select id from parcels" => "1:16 table `parcels` is in database `store`, and service `S` is not on it: write `service S on store`";
    too_few_values: "insert into orders (id, total) values (1)" => "1:39 1 value stands here for 2 columns";
    the_same_column_twice: "insert into orders (id, id) values (1, 2)" => "1:25 the column `id` stands here a second time";
    the_same_field_twice: "publish events (id = 1, id = 2)" => "1:25 the field `id` stands here a second time";
    int_compared_with_text: "select id from orders where total = note" => "1:29 there is no `int = text`: the types do not fit";
    a_variable_of_another_type: "x = 'a'\nselect id from orders where id = :x" => "2:29 there is no `int = text`: the types do not fit";
    a_literal_that_is_no_number: "select id from orders where id = 'abc'" => "1:34 'abc' cannot be read as int";
    adding_texts: "x = 'a' + 'b'" => "1:5 there is no `text + text`: the types do not fit";
    joining_numbers: "x = 1 || 2" => "1:5 there is no `int || int`: the types do not fit";
    the_wrong_type_for_a_column: "x = 'a'\nupdate orders set total = :x" => "2:27 column `total` is of type int, the value is of type text";
    a_cast_that_is_none: "x = batch::int" => "1:5 list cannot be cast to int";
    a_number_as_condition: "if count fail" => "1:4 expected a condition, found int: compare it, as in `n > 0`";
    a_text_as_filter: "select id from orders where note" => "1:29 expected boolean, found text";
    a_field_of_a_number: "x = count.id" => "1:5 `count` is of type int and has no fields";
    a_loop_over_a_number: "for x in count done" => "1:10 expected list, found int";
    sleeping_a_number: "sleep 5" => "1:7 expected interval, found int";
    acking_a_list: "ack batch" => "1:5 expected message, found list";
    appending_to_a_number: "append 1 to count" => "1:13 expected list, found int";
    a_conflict_without_constraint: "insert into orders (id, total) values (1, 2) on conflict (total) do nothing" => "1:46 the table has no unique constraint on exactly these columns";
    an_aggregate_in_a_filter: "select id from orders where count(*) > 1" => "1:29 `count`, `sum`, `min` and `max` can stand in the items of a select only, and not within each other; the length of a list is `length(list)`";
    a_column_beside_an_aggregate: "select id, count(*) from orders" => "1:8 column `id` stands beside an aggregate: there is one result row, and many values of it";
    a_locked_aggregate: "select count(*) from orders for update" => "1:1 `for update` cannot lock the rows of an aggregate";
    a_sub_select_with_two_columns: "select id from orders where id in (select id, total from orders)" => "1:29 this select must give one column, it gives 2";
    fresh_in_sql: "insert into orders (id, note, total) values (1, fresh('a'), 2)" => "1:49 `fresh` cannot stand in SQL: set a variable first (`id = fresh('pay')`), then use `:id`";
    a_select_in_an_expression: "if exists (select id from orders) fail" => "1:4 a select cannot stand in an expression of the program: write `rows = select …` first, then use `rows`";
    a_colon_outside_sql: "x = :count" => "1:5 outside SQL a variable is written without a colon: `count`";
    a_variable_without_colon: "select id from orders where id = count" => "1:34 in SQL a variable is written with a colon: `:count`";
    self_without_colon: "update orders set note = self" => "1:26 in SQL a variable is written with a colon: `:self`";
    a_name_for_no_step: "mark: x = 1" => "1:1 only a step can be given a name, and this is none: a step is a request to a database, a broker or another party";
    the_value_of_an_ack: "x = commit" => "1:5 this request gives no value that could be assigned";
    break_without_a_loop: "break" => "1:1 `break` leaves a `for` or `repeat`, and there is none around it";
    return_without_a_handler: "return 1" => "1:1 `return` leaves a `handle` block, and there is none around it";
    too_many_arguments: "place(1)" => "1:1 `place` takes 2 arguments, here 1 stands";
    too_many_arguments_of_a_function: "x = length(batch, 1)" => "1:5 `length` takes 1 argument, here 2 stand";
    a_handler_in_an_expression: "x = 1 + place(1, 2)" => "1:9 the handler `place` cannot be called within an expression: write `x = place(…)` as a statement of its own";
    an_on_line_without_statement: "if count > 1\n  done\non timeout done" => "3:1 this `on` follows no statement it could belong to: it stands right below its statement, indented as far, and catches that statement's errors";
    an_else_without_if: "sleep 1s\nelse done" => "2:1 this `else` follows no `if`: it stands right below the block of its `if`, indented as far";
    a_reserved_word: "for order in batch done" => "1:5 `order` has a meaning of its own and cannot be a name here";
    a_field_that_deliveries_have: "publish events (receipt = 1)" => "1:17 `receipt` has a meaning of its own and cannot be a name here";
    a_variable_named_like_memory: "for count in batch done" => "1:5 the variable `count` stands here a second time";
    an_interval_that_is_none: "x = interval 'soon'" => "1:14 'soon' is no interval: expected whole units such as '30s' or '1 day 2 hours'";
    no_time_at_all: "repeat every 0s done" => "1:14 this time must be longer than zero";
    no_times: "m = null\nkeep m every 1s times 0" => "2:23 expected a number from 1 to 1000000";
    an_empty_block: "if count > 1" => "1:13 expected `and`, `in`, `is`, `not in`, `or`, `*`, `+`, `-`, `::`, `||` or a statement here or on deeper lines below, found the end of the line";
    uneven_indentation: "if count > 1\n    done\n  done" => "3:3 this line is indented otherwise than the lines it belongs to";
    another_database_of_the_service: "begin on store" => "1:10 service `S` is not on database `store`: write `service S on … store`";
}

#[test]
fn tabs() {
    let found = all("scenario s\n\tuntil 5s\n");
    assert_eq!(found, "line 2, column 1: indent with spaces, not with tabs");
}

#[test]
fn every_line_is_answered_for_itself() {
    let found = problems("sleep 5\ncommit now\nx = y\npublish nowhere (id = 1)\nz = 1 +\nx = z");
    let lines: Vec<&str> = found
        .iter()
        .map(|message| message.split(' ').next().unwrap_or(""))
        .collect();
    assert_eq!(lines, ["1:7", "2:8", "3:5", "4:9", "5:8"], "{found:#?}");
}

#[test]
fn an_empty_text_and_a_wrong_start() {
    assert_eq!(
        all(""),
        "line 1, column 1: expected `scenario`, found the end of the line"
    );
    assert_eq!(
        all("database d\n"),
        "line 1, column 1: expected `scenario`, found `database`"
    );
}

#[test]
fn a_poller_that_never_rests() {
    let text = in_service("done").replace(
        "  start\n",
        "  every 5s\n    select id from orders where at < now() - interval '5s'\n",
    );
    assert!(parse(&text).is_ok());
    let text = text.replace("  until 1min\n", "");
    assert_eq!(
        all(&text),
        "line 20, column 5: this repeats for ever and compares with `now()`, so the run never rests: write `until TIME` below `scenario`"
    );
}

#[test]
fn partitions_and_groups() {
    let text = |rules: &str, receive: &str| {
        format!("scenario s\nbroker b\n  queue log {rules}\nservice S\n  receive log {receive} as m done")
    };
    assert!(parse(&text("partitions 3 lease 5s", "group g")).is_ok());
    let cases = [
        (
            text("partitions 0", ""),
            "line 3, column 24: expected a number from 1 to 64",
        ),
        (
            text("partitions 65", ""),
            "line 3, column 24: expected a number from 1 to 64",
        ),
        (
            text("partitions 3 partitions 3", ""),
            "line 3, column 26: the clause `partitions` stands here a second time",
        ),
        (
            text("partitions 3 stale steals", ""),
            "line 3, column 9: `stale steals` does not go with queue `log`: it has partitions, which keep their messages and are read in order",
        ),
        (
            text("", "group g"),
            "line 5, column 21: only a queue with partitions has consumer groups: write `queue log partitions 3`, or leave out the group",
        ),
        (
            text("partitions 3", "group"),
            "line 5, column 21: `as` has a meaning of its own and cannot be a name here",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(all(&text), wanted, "{text}");
    }
}

#[test]
fn declarations() {
    let cases = [
        (
            "scenario s\nscenario t",
            "line 2, column 1: the clause `scenario` stands here a second time",
        ),
        (
            "scenario s\n  until 5s\n  until 6s",
            "line 3, column 3: the clause `until` stands here a second time",
        ),
        (
            "scenario s\ndatabase d\nbroker d",
            "line 3, column 8: the name `d` stands here a second time",
        ),
        (
            "scenario s\ndatabase d\n  table t (a int, a int)",
            "line 3, column 19: the column `a` stands here a second time",
        ),
        (
            "scenario s\ndatabase d\n  table t (a int)\n  table t (b int)",
            "line 4, column 9: the table `t` stands here a second time",
        ),
        (
            "scenario s\ndatabase d\n  table t (a int, unique (xyz))",
            "line 3, column 27: there is no column `xyz`, there is `a`",
        ),
        (
            "scenario s\ndatabase d\n  table t (a int primary key, b int, primary key (b))",
            "line 3, column 51: the clause `primary key` stands here a second time",
        ),
        (
            "scenario s\ndatabase d\n  table t (a int default 'x')",
            "line 3, column 26: 'x' cannot be read as int",
        ),
        (
            "scenario s\ndatabase d\n  table t (a int)\n  insert into t (a) values (b)",
            "line 4, column 29: there is no column `b`, and no other column either",
        ),
        (
            "scenario s\ndatabase d\n  table t (a int)\n  insert into t (a) values (1) returning a",
            "line 4, column 32: rows that are there at the start return nothing",
        ),
        (
            "scenario s\nbroker b\n  queue q dead p",
            "line 3, column 16: there is no queue `p`, there is `q`",
        ),
        (
            "scenario s\nbroker b\n  queue q attempts 0",
            "line 3, column 20: expected a number from 1 to 1000000",
        ),
        (
            "scenario s\nbroker b\n  queue q priority 5",
            "line 3, column 11: expected `attempts`, `capacity`, `dead`, `dedupe`, `drop`, `expires`, `grouped`, `keep`, `lease`, `partitions`, `stale`, `volatile` or the end of the line, found `priority`",
        ),
        (
            "scenario s\nbroker b\n  queue q dedupe while",
            "line 3, column 18: expected `while queued` or a time such as `30s`, found `while`",
        ),
        (
            "scenario s\nbroker b\n  queue q capacity 0",
            "line 3, column 20: expected a number from 1 to 1000000",
        ),
        (
            "scenario s\nbroker b\n  queue q expires 0s",
            "line 3, column 19: this time must be longer than zero",
        ),
        (
            "scenario s\nbroker b\n  topic t unroutable lost",
            "line 3, column 22: expected `confirmed` or `refused`, found `lost`",
        ),
        (
            "scenario s\nbroker b\n  queue q\nservice A\n  receive q prefetch 20000 as m done",
            "line 5, column 22: expected a number from 1 to 10000",
        ),
        (
            "scenario s\nbroker b as sqs\n  queue q",
            "line 2, column 10: expected `like` or the end of the line, found `as`",
        ),
        (
            "scenario s\nbroker b like\n  queue q",
            "line 2, column 14: expected a name, found the end of the line",
        ),
        (
            "scenario s\nbroker b like sqs-fif",
            "line 2, column 15: there is no profile `sqs-fif`, did you mean `sqs-fifo`? There is `rabbitmq`, `sqs`, `sqs-fifo`, `servicebus`, `kafka`, `jetstream` and `artemis`",
        ),
        (
            "scenario s\nservice A x20000\n  start done",
            "line 2, column 11: expected a number from 1 to 1000",
        ),
        (
            "scenario s\nservice A x600\n  start done\nservice B x600\n  start done",
            "line 4, column 9: all services together have more than 1000 instances",
        ),
        (
            "scenario s\nservice A on d\n  start done",
            "line 2, column 14: there is no database `d`, and no other database either",
        ),
        (
            "scenario s\nservice A\n  start begin",
            "line 3, column 9: service `A` is on no database: write `service A on DATABASE`",
        ),
        (
            "scenario s\nservice A\n  handle h() h()\n",
            "line 3, column 14: `h` calls itself; handlers called within their service cannot",
        ),
        (
            "scenario s\nservice A\n  every 0s done",
            "line 3, column 9: this time must be longer than zero",
        ),
        (
            "scenario s\nservice A\n  receive q as m done",
            "line 3, column 11: there is no queue `q`, and no other queue either",
        ),
        (
            "scenario s\ncrash after A.x.0",
            "line 2, column 17: expected a number from 1 to 4294967295",
        ),
        (
            "scenario s\nexpect healthy\nexpect lost",
            "line 3, column 1: the clause `expect` stands here a second time",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(all(text), message, "{text}");
    }
}

#[test]
fn ambiguous_names() {
    let two = "scenario s\ndatabase a\n  table t (n int)\ndatabase b\n  table t (n int)\nbroker c\n  queue q\nbroker d\n  queue q\nservice S on a, b\n  start\n";
    let cases = [
        (
            "    select n from t",
            "line 12, column 19: it is open which table `t` means: write `a.t` or `b.t`",
        ),
        (
            "    publish q (id = 1)",
            "line 12, column 13: it is open which queue or topic `q` means: write `c.q` or `d.q`",
        ),
        (
            "    begin",
            "line 12, column 5: it is open which database `begin` means: write `begin on a` or `begin on b`",
        ),
    ];
    for (line, message) in cases {
        assert_eq!(all(&format!("{two}{line}\n")), message);
    }
    let good = format!("{two}    select n from b.t\n    publish d.q (id = 1)\n    begin on a\n");
    assert!(parse(&good).is_ok());
}

#[test]
fn promises() {
    let base = in_service("done");
    let line = base.lines().count() + 1;
    let cases = [
        (
            "promise one store.parcels for each shop.ordres matching effect.id = cause.id",
            "41: there is no table `ordres`, did you mean `orders`? There is `orders` and `other`",
        ),
        (
            "promise no orders",
            "12: there is no table, queue or outside party `orders`, did you mean `shop.orders`? There is `shop.orders`, `shop.other`, `store.parcels`, `rabbit.events`, `rabbit.other`, `rabbit.log` and `bank`",
        ),
        (
            "promise one bank for each shop.orders matching effect.nope = cause.id",
            "55: there is no field `nope`, there is `order_id` and `amount`",
        ),
        (
            "promise one bank for each shop.orders matching amount = cause.id",
            "48: here a row must be named: `effect.amount` or `cause.amount`",
        ),
        (
            "promise one bank for each shop.orders matching effect.order_id = cause.id",
            "48: there is no `text = int`: the types do not fit",
        ),
        (
            "promise no bank where amnt = 1",
            "23: there is no field `amnt`, did you mean `amount`? There is `order_id` and `amount`",
        ),
        (
            "promise no shop.orders.dead",
            "24: there is no table, queue or outside party `dead`, there is `changes`",
        ),
        (
            "promise value (select id, total from orders) = 1",
            "16: this select must give one column, it gives 2",
        ),
        (
            "promise two bank",
            "9: expected `at least one`, `at most`, `at most one`, `no`, `one` or `value`",
        ),
    ];
    for (promise, message) in cases {
        let found = all(&format!("{base}{promise}\n"));
        if promise.starts_with("promise two") {
            assert!(found.contains("in order of"), "{found}");
            continue;
        }
        assert_eq!(found, format!("line {line}, column {message}"));
    }
}

#[test]
fn a_sentence_points_into_its_text() {
    let base = in_service("done");
    let line = base.lines().count() + 2;
    let found = all(&format!("{base}promise no bank\n  stuck en \"It is {{nope}}.\"\n"));
    assert_eq!(
        found,
        format!("line {line}, column 20: there is no field `nope`, there is `order_id` and `amount`")
    );
}

#[test]
fn messages_in_german() {
    let diagnostics = parse("scenario s\n  untl 5s\n").expect_err("an error");
    assert_eq!(
        diagnostics[0].text(Language::De),
        "Gefunden `untl`, ist `until` gemeint? Erwartet `about`, `pattern`, `report`, `system`, `title`, `until` oder `variants`"
    );
    assert!(matches!(&diagnostics[0].problem, Problem::Expected { near: Some(near), .. } if &**near == "until"));
    assert_eq!(diagnostics[0].expected(Language::De)[5], "`until`");
}
