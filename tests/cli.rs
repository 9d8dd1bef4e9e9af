//! The command line as a script meets it: exit status, standard output, standard error, the JSON.
#![forbid(unsafe_code)]

use serde_json::Value;
use std::process::{Command, Output};

fn crashpoint(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crashpoint"))
        .args(arguments)
        .output()
        .expect("the program runs")
}

fn status(arguments: &[&str]) -> Option<i32> {
    crashpoint(arguments).status.code()
}

fn out(arguments: &[&str]) -> String {
    String::from_utf8(crashpoint(arguments).stdout).expect("UTF-8")
}

fn error(arguments: &[&str]) -> String {
    let output = crashpoint(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?} prints nothing but the message");
    String::from_utf8(output.stderr).expect("UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&out(arguments)).expect("one JSON object")
}

/// A scenario file of the test's own, removed afterwards.
struct File(std::path::PathBuf);

impl File {
    fn new(name: &str, content: &[u8]) -> File {
        let path = std::env::temp_dir().join(format!("crashpoint-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("a file can be written");
        File(path)
    }
    fn path(&self) -> &str {
        self.0.to_str().expect("a readable path")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn exit_status_says_whether_promises_hold() {
    assert_eq!(status(&["run", "O10"]), Some(0));
    assert_eq!(status(&["run", "O1"]), Some(1));
    assert_eq!(status(&["sweep", "O10"]), Some(0));
    assert_eq!(
        status(&["sweep", "O3"]),
        Some(1),
        "healthy as written, but one crash point duplicates"
    );
    assert_eq!(status(&["list"]), Some(0));
    assert_eq!(status(&["trace", "O1"]), Some(0));
    assert_eq!(status(&["help"]), Some(0));
}

#[test]
fn the_run_report_has_the_documented_shape() {
    let report = json(&["run", "O1", "--json"]);
    assert_eq!(report["scenario"], "O1");
    assert_eq!(report["verdict"], "lost");
    assert_eq!(report["ended"], "rest");
    assert_eq!(report["databases"]["shop"]["orders"][0]["id"], 1001);
    assert_eq!(report["queues"]["events"]["ready"], Value::Array(vec![]));
    assert_eq!(report["not_reached"], Value::Array(vec![]));
    assert_eq!(report["outside"], serde_json::json!({}));
    assert_eq!(report["trace_hash"].as_str().map(str::len), Some(16));
    let finding = &report["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["subject"]),
        (&"lost".into(), &"order 1001".into())
    );
    assert!(
        finding["message"]
            .as_str()
            .is_some_and(|message| message.contains("nothing will ever be shipped"))
    );
    assert!(
        finding["signature"]
            .as_str()
            .is_some_and(|signature| signature.contains("evt-1001"))
    );
    let events = report["events"].as_u64().expect("a count");
    let chain = finding["events"].as_array().expect("event numbers");
    assert!(
        !chain.is_empty()
            && chain
                .iter()
                .all(|event| event.as_u64().is_some_and(|event| event < events))
    );
}

#[test]
fn queues_show_id_body_and_deliveries() {
    let ready = &json(&["run", "O5", "--json"])["queues"]["events"]["ready"];
    let copy = |message: &Value| {
        (
            message["id"].clone(),
            message["body"].clone(),
            message["deliveries"].clone(),
        )
    };
    let expected = ("evt-1003".into(), "OrderPlaced 1003".into(), 0.into());
    assert_eq!(
        ready.as_array().map(|all| all.iter().map(copy).collect()),
        Some(vec![expected.clone(), expected])
    );
}

#[test]
fn the_sweep_report_counts_its_points() {
    let report = json(&["sweep", "O1", "--json"]);
    let verdicts: Vec<(&str, &str)> = report["points"]
        .as_array()
        .expect("points")
        .iter()
        .map(|point| {
            (
                point["point"].as_str().expect("a point"),
                point["verdict"].as_str().expect("a verdict"),
            )
        })
        .collect();
    let expected = [
        ("before Shop.begin.1", "healthy"),
        ("after Shop.begin.1", "healthy"),
        ("after Shop.insert-orders.1", "healthy"),
        ("after Shop.commit.1", "lost"),
        ("after Shop.publish-events.1", "healthy"),
    ];
    assert_eq!(verdicts, expected);
    assert_eq!(report["counts"], serde_json::json!({"healthy": 4, "lost": 1}));
}

#[test]
fn links_and_texts_are_each_others_inverse() {
    for id in ["O1", "O10", "C16"] {
        let text = out(&["text", id]);
        let link = out(&["link", id]);
        assert!(link.starts_with('#'), "{link}");
        assert_eq!(out(&["text", link.trim()]), text);
        let file = File::new(
            &format!("{id}.crash"),
            text.replace("restart 5s", "restart 7s").as_bytes(),
        );
        let link = out(&["link", file.path()]);
        let address = format!("http://127.0.0.1:8080/{}", link.trim());
        assert_eq!(
            out(&["text", &address]),
            std::fs::read_to_string(file.path()).expect("the file")
        );
        assert_eq!(
            json(&["run", &address, "--json"]),
            json(&["run", file.path(), "--json"])
        );
    }
}

#[test]
fn unreadable_input_says_what_and_where() {
    assert!(error(&["run", "no-such-thing"]).contains("no such file and no such preset"));
    assert!(error(&["run"]).contains("usage:"));
    assert!(error(&["run", "#9/x"]).contains("newer"));
    let mistyped = File::new(
        "mistyped.crash",
        b"scenario x\nservice S\n  at 0s\n    publsh q (id = 1)\nfrobnicate\n",
    );
    let message = error(&["run", mistyped.path()]);
    assert!(
        message.contains("line 4, column 5") && message.contains("line 5, column 1"),
        "{message}"
    );
    assert!(error(&["sweep", File::new("bytes.crash", &[0xff, 0xfe, 0x00]).path()]).contains("UTF-8"));
    let huge = File::new("huge.crash", &vec![b' '; 300_000]);
    assert!(error(&["run", huge.path()]).contains("300000 bytes"));
    assert_eq!(status(&["run", File::new("empty.crash", b"").path()]), Some(2));
}

#[test]
fn a_run_can_be_bounded() {
    let report = json(&["run", "O10", "--events", "5", "--json"]);
    assert_eq!((&report["ended"], &report["events"]), (&"bound".into(), &5.into()));
}

#[test]
fn a_text_that_never_ends_is_swept_with_few_events_only() {
    let text = "\
scenario endless
broker b
  queue q lease 1s
service S
  at 0s publish q (id = 1)
  receive q as m
    fail
";
    let file = File::new("endless.crash", text.as_bytes());
    let message = error(&["sweep", file.path(), "--events", "3000"]);
    assert!(
        message.contains("has not ended after 3000 events") && message.contains("`until`"),
        "{message}"
    );
    let report = json(&["sweep", file.path(), "--events", "60", "--json"]);
    assert!(report["points"].as_array().is_some_and(|points| !points.is_empty()));
}

/// The README's five-minute scenario does what the README says.
#[test]
fn the_scenario_of_the_readme_runs() {
    let readme = include_str!("../README.md");
    let text = readme
        .split("```crash\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("the example");
    let file = File::new("readme.crash", text.as_bytes());
    let report = json(&["run", file.path(), "--json"]);
    assert_eq!(
        (&report["verdict"], &report["findings"][0]["subject"]),
        (&"lost".into(), &"order 7".into())
    );
    assert_eq!(
        json(&["sweep", file.path(), "--json"])["counts"],
        serde_json::json!({"healthy": 7, "lost": 1})
    );
}

#[test]
fn what_a_broker_cannot_do_is_said_on_standard_error_and_the_run_goes_on() {
    let text = b"scenario s\nbroker b like rabbitmq\n  queue q lease 30s\nservice S\n  at 0s publish q (id = 1)\n";
    let file = File::new("notes.crash", text);
    let output = crashpoint(&["run", file.path()]);
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    let expected = "line 3: `lease` has no effect on b (RabbitMQ): RabbitMQ has no lease";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn the_search_says_which_two_faults_and_that_no_single_one_does() {
    let said = out(&["sweep", "I8-long", "--faults", "2"]);
    assert!(said.contains("by these two faults, and by no single one"), "{said}");
    assert_eq!(status(&["sweep", "I8-long", "--faults", "2"]), Some(1));
    assert_eq!(status(&["sweep", "I8-long", "--faults", "1"]), Some(0));
    let found = json(&["sweep", "I8-long", "--faults", "2", "--json"]);
    assert_eq!(found["verdict"], "duplicate");
    let faults = found["smallest"]["faults"].as_array().expect("a list");
    assert_eq!(faults.len(), 2);
    // Its own lines, put into the text, bring it about; with either alone nothing happens.
    let lines: Vec<&str> = faults.iter().map(|fault| fault.as_str().expect("a line")).collect();
    let text = out(&["text", "I8-long"]);
    let with = |lines: &[&str]| {
        let file = File::new(
            &format!("pair-{}", lines.len()),
            format!("{text}\n{}\n", lines.join("\n")).as_bytes(),
        );
        json(&["run", file.path(), "--json"])["verdict"].clone()
    };
    assert_eq!(with(&lines), "duplicate");
    assert_eq!(with(&lines[..1]), "healthy");
}

#[test]
fn the_search_claims_no_more_than_it_has_tried() {
    let said = out(&[
        "sweep",
        "O10",
        "--faults",
        "2",
        "--orders",
        "--kinds",
        "crash,lose-reply",
    ]);
    assert!(
        said.contains("no set of up to 2 faults (crash, lose-reply) breaks a promise"),
        "{said}"
    );
    assert!(said.contains("in all orders"), "{said}");
    let found = json(&["sweep", "O10", "--faults", "2", "--json"]);
    assert_eq!(
        (&found["verdict"], &found["cut"], found.get("smallest")),
        (&Value::from("healthy"), &Value::from(0), None)
    );
    // The empty set, each single crash, and pairs.
    let singles = json(&["sweep", "O10", "--json"])["points"]
        .as_array()
        .map_or(0, Vec::len) as u64;
    assert!(found["sets"].as_u64() > Some(1 + singles), "{found}");
}

#[test]
fn other_kinds_of_faults_are_swept_by_name() {
    let swept = json(&["sweep", "O1", "--kinds", "lose-reply", "--json"]);
    let points = swept["points"].as_array().expect("a list");
    // One for each request: begin, insert, commit, publish.
    assert_eq!(points.len(), 4, "{swept}");
    assert!(points.iter().all(|point| {
        point["point"]
            .as_str()
            .is_some_and(|line| line.starts_with("lose reply Shop."))
    }));
    assert!(error(&["sweep", "O1", "--kinds", "fire"]).contains("unknown kind of fault fire"));
}
