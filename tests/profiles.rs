//! Broker profiles against the documentation of their products, one row a documented rule.
//!
//! Goal: a text that says `like PRODUCT` and nothing else behaves as the product's pages say. Method: small scenarios in which a
//! rule shows, the same for all products; what is compared is the trace, never the table of profiles.
#![forbid(unsafe_code)]

mod support;

use crashpoint::language::{self, edit};
use crashpoint::program::profile::{PROFILES, Profile, Word};
use crashpoint::simulation::Trace;
use support::{read, run_text};

/// When these events happened, by their canonical words: `delivery q:2 number 1`.
fn times(trace: &Trace, words: &str) -> Vec<i64> {
    let text = trace.canonical();
    let lines = text.lines().filter(|line| line.contains(words));
    let time = |line: &str| line.split(' ').nth(1).and_then(|at| at.parse().ok());
    lines.filter_map(time).collect()
}

/// The same for every product: `QUEUE` and `TOPIC` are one queue `q` with these rules and a topic `t` without queues.
fn story(profile: &str, rules: &str, rest: &str) -> Trace {
    run_text(&format!(
        "scenario rule
  until 2h
database app
  table done (id text)
broker b like {profile}
  queue q {rules}
  queue d
  topic t
{rest}"
    ))
}

const ONE_MESSAGE: &str = "service Sender
  at 0s publish q (id = 'm', key = 'k')
";

/// A receiver dies for good with a message at work; another one waits.
fn second_delivery_after_a_death(profile: &str) -> i64 {
    let trace = story(
        profile,
        "",
        &format!(
            "{ONE_MESSAGE}service K x2
  receive q as m
    work: sleep 1s
    ack m
crash after K#1.work.1 never
"
        ),
    );
    times(&trace, "delivery q:1 number 2")[0]
}

#[test]
fn what_a_dead_receiver_had_comes_back_when_its_connection_ends_or_when_its_lease_ends() {
    // The message is fetched at 1 ms and delivered at 2 ms; the receiver dies at 1,002 ms.
    for (profile, at) in [
        ("rabbitmq", 1_003),    // https://www.rabbitmq.com/docs/confirms#automatic-requeueing
        ("artemis", 1_003),     // https://activemq.apache.org/artemis/docs/latest/undelivered-messages.html
        ("sqs", 30_002),        // …/SQSDeveloperGuide/sqs-visibility-timeout.html
        ("sqs-fifo", 30_002),   // …/SQSDeveloperGuide/sqs-visibility-timeout.html
        ("servicebus", 60_002), // …/service-bus-messaging/message-transfers-locks-settlement#peeklock
        ("jetstream", 30_002),  // https://docs.nats.io/nats-concepts/jetstream/consumers#general
    ] {
        assert_eq!(second_delivery_after_a_death(profile), at, "{profile}");
    }
}

#[test]
fn an_answer_after_the_lease_is_refused_counts_or_does_nothing() {
    let late = |profile: &str| {
        story(
            profile,
            "",
            &format!(
                "{ONE_MESSAGE}service K
  receive q as m
    if m.deliveries = 1 sleep 90s
    ack m
"
            ),
        )
    };
    for (profile, answer, again) in [
        // …/APIReference/API_DeleteMessage.html: the request succeeds, the message is not deleted
        ("sqs", "ack.1 line 14 ok", true),
        // https://repost.aws/knowledge-center/sqs-receipt-handle-error: the receipt handle has expired
        ("sqs-fifo", "ack.1 line 14 Refused", true),
        // …/message-transfers-locks-settlement#settling-receive-operations: the lock is lost
        ("servicebus", "ack.1 line 14 Refused", true),
        // https://docs.nats.io/nats-concepts/jetstream/consumers#ackpolicy: the late ack is considered
        ("jetstream", "ack.1 line 14 ok", false),
    ] {
        let trace = late(profile);
        assert!(trace.canonical().contains(answer), "{profile}\n{}", trace.canonical());
        let second = times(&trace, "delivery q:1 number 2");
        assert_eq!(!second.is_empty(), again, "{profile}");
    }
}

#[test]
fn a_client_that_is_silent_for_the_heartbeat_loses_its_connection_and_its_old_tag_closes_the_channel() {
    let frozen = |profile: &str| {
        story(
            profile,
            "",
            &format!(
                "{ONE_MESSAGE}service K x2
  receive q as m
    work: sleep 1s
    ack m
pause after K#1.work.1 for 5min
"
            ),
        )
    };
    for profile in [
        "rabbitmq", // https://www.rabbitmq.com/docs/heartbeats#heartbeats-timeout: 60 s
        "artemis",  // https://activemq.apache.org/artemis/docs/latest/connection-ttl.html: 60 s
    ] {
        let trace = frozen(profile);
        assert_eq!(times(&trace, "disconnected by b for silence"), [61_002], "{profile}");
        assert_eq!(times(&trace, "returned q:1"), [61_002], "{profile}");
        assert_eq!(times(&trace, "delivery q:1 number 2"), [61_003], "{profile}");
        assert!(
            trace.canonical().contains("K#1 ack.1 line 14 Refused"),
            "{}",
            trace.canonical()
        );
        // https://www.rabbitmq.com/docs/confirms#consumer-acks-delivery-tags: the channel is closed
        let closed = times(&trace, "for stale handle").len();
        assert_eq!(closed, usize::from(profile == "rabbitmq"), "{profile}");
    }
    // A pause that is shorter than the heartbeat is harmless.
    let text = format!(
        "{ONE_MESSAGE}service K\n  receive q as m\n    work: sleep 1s\n    ack m\npause after K.work.1 for 50s\n"
    );
    let trace = story("rabbitmq", "", &text);
    assert_eq!(times(&trace, "disconnected"), [0; 0]);
    assert!(trace.canonical().contains("ack.1 line 14 ok"));
}

#[test]
fn a_cut_that_outlasts_the_heartbeat_ends_the_connection() {
    let trace = story(
        "rabbitmq", // https://www.rabbitmq.com/docs/heartbeats#heartbeats-timeout
        "",
        &format!(
            "{ONE_MESSAGE}service K
  receive q as m
    work: sleep 10min
    ack m
cut K b at 1s for 5min
"
        ),
    );
    assert_eq!(times(&trace, "returned q:1"), [61_000]);
    assert!(times(&trace, "delivery q:1 number 2")[0] > 300_000);
}

#[test]
fn a_delivery_that_is_not_acknowledged_for_half_an_hour_closes_its_channel() {
    // https://www.rabbitmq.com/docs/consumers#acknowledgement-timeout
    let slow = format!(
        "{ONE_MESSAGE}service K x2
  receive q as m
    if m.deliveries = 1 sleep 1h
    ack m
"
    );
    let trace = story("rabbitmq", "", &slow);
    assert_eq!(times(&trace, "disconnected by b for no ack"), [1_800_001]);
    assert_eq!(times(&trace, "delivery q:1 number 2"), [1_800_002]);
    // Without the product nobody minds, and a message that was acknowledged in time does not prolong the run.
    let quick = format!("{ONE_MESSAGE}service K\n  receive q as m ack m\n");
    assert!(story("rabbitmq", "", &quick).ended_at < 60_000);
}

#[test]
fn a_copy_is_stored_or_dropped_within_the_products_window() {
    let sends = |profile: &str, rules: &str, second: &str| {
        let trace = story(
            profile,
            rules,
            &format!(
                "service Sender
  at 0s publish q (id = 'x', key = 'k')
  at {second} publish q (id = 'x', key = 'k')
service K
  receive q as m ack m
"
            ),
        );
        times(&trace, "delivery q:").len()
    };
    for (profile, rules, after_3_s, after_4_min, after_6_min) in [
        ("rabbitmq", "", 2, 2, 2),   // https://www.rabbitmq.com/docs/reliability#consumer-side
        ("sqs", "", 2, 2, 2),        // …/SQSDeveloperGuide/FIFO-key-terms.html: FIFO queues only
        ("sqs-fifo", "", 1, 1, 2),   // …/SQSDeveloperGuide/FIFO-key-terms.html: 5 min, also when deleted
        ("jetstream", "", 1, 2, 2),  // …/develop_jetstream/model_deep_dive#message-deduplication: 2 min
        ("servicebus", "", 2, 2, 2), // …/duplicate-detection: must be enabled
        ("servicebus", "dedupe 10min", 1, 1, 1), // …/duplicate-detection: within the window
        ("artemis", "", 2, 2, 2),    // …/duplicate-detection.html: only for messages with a duplicate id
        ("artemis", "dedupe 1min", 1, 1, 1), // …/duplicate-detection.html: a number of ids, no time
        ("kafka", "dedupe 10min", 2, 2, 2), // …/#producerconfigs_enable.idempotence: repeats of the producer only
    ] {
        let found = ["3s", "4min", "6min"].map(|second| sends(profile, rules, second));
        assert_eq!(found, [after_3_s, after_4_min, after_6_min], "{profile} {rules}");
    }
}

#[test]
fn artemis_forgets_the_oldest_of_its_duplicate_ids() {
    // …/duplicate-detection.html#configuring-the-duplicate-id-cache: 20,000 ids, the oldest is overwritten
    let sends = |others: u32| {
        let text = format!(
            "service Sender
  at 0s
    publish q (id = 'x')
    n = 0
    repeat {others} times
      publish q (id = n)
      n = n + 1
    again: publish q (id = 'x')
"
        );
        let trace = story("artemis", "dedupe 1min", &text);
        times(&trace, "discarded copy of q:1").len()
    };
    assert_eq!(sends(19_999), 1);
    assert_eq!(sends(20_000), 0);
}

#[test]
fn fifo_queues_hand_out_one_message_of_a_group_and_the_others_do_not_mind_groups() {
    let both = |profile: &str| {
        let trace = story(
            profile,
            "",
            "service Sender
  at 0s
    publish q (id = 1, key = 'k')
    publish q (id = 2, key = 'k')
service K x2
  receive q as m
    sleep 10s
    ack m
",
        );
        times(&trace, "delivery q:2 number 1")[0]
    };
    // …/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
    assert_eq!(
        both("sqs-fifo"),
        10_004,
        "delivered 1 ms after the ack of the first has arrived"
    );
    for profile in ["rabbitmq", "sqs", "servicebus", "jetstream", "artemis"] {
        assert_eq!(both(profile), 4, "{profile}");
    }
}

#[test]
fn leases_that_end_at_one_instant_give_back_the_oldest_message_first_where_the_server_sorts_them() {
    // The lease of m1 is prolonged at 3 ms, when m2 is fetched: both are over 30 s later, that of m2 has been so planned longer.
    let ends = |profile: &str| {
        let trace = story(
            profile,
            "lease 30s",
            "service Sender
  at 0s publish q (id = 'm1')
  at 2ms publish q (id = 'm2')
service K x2
  receive q as m
    if m.id = 'm1' extend m
    sleep 1h
",
        );
        let text = trace.canonical();
        let ended = text
            .lines()
            .filter(|line| line.contains(" 30003 ") && line.contains("lease ended"));
        let message = |line: &str| Some(line.split("q:").nth(1)?.split(' ').next()?.to_string());
        ended.filter_map(message).collect::<Vec<_>>()
    };
    // nats-server, server/consumer.go, checkPending: what has expired is sorted by sequence
    assert_eq!(ends("jetstream"), ["1", "2"]);
}

#[test]
fn a_message_that_always_fails_is_given_up_as_the_product_says() {
    let failing = |profile: &str, rules: &str| {
        story(
            profile,
            rules,
            &format!("{ONE_MESSAGE}service K\n  receive q as m\n    sleep 1s\n    fail\n"),
        )
    };
    for (profile, rules, deliveries, end) in [
        // …/service-bus-dead-letter-queues#maximum-delivery-count: 10, its own dead-letter queue
        ("servicebus", "", 10, "exhausted q:1 to nowhere"),
        // …/undelivered-messages.html#dead-letter-addresses: 10, removed without a dead letter address
        ("artemis", "", 10, "exhausted q:1 to nowhere"),
        ("artemis", "dead d", 10, "exhausted q:1 to d"),
        // …/sqs-dead-letter-queues.html: maxReceiveCount of the redrive policy
        ("sqs", "attempts 3 dead d", 3, "exhausted q:1 to d"),
        // …/develop_jetstream/consumers#dead-letter-queues-type-functionality: it stays in the stream
        ("jetstream", "attempts 3 dead d", 3, "exhausted q:1 to nowhere"),
    ] {
        let trace = failing(profile, rules);
        assert_eq!(times(&trace, "delivery q:1").len(), deliveries, "{profile}");
        assert_eq!(times(&trace, end).len(), 1, "{profile} {rules}");
    }
    let kept = |profile: &str, rules: &str| failing(profile, rules).last.queue(0).dead().count();
    assert_eq!(kept("servicebus", ""), 1);
    assert_eq!(kept("artemis", ""), 0);
    assert_eq!(kept("jetstream", "attempts 3 drop"), 1);
}

#[test]
fn a_rejected_message_is_dead_lettered_or_discarded() {
    let rejected = |profile: &str, rules: &str| {
        let text = format!("{ONE_MESSAGE}service K\n  receive q as m nack m dead\n");
        story(profile, rules, &text)
    };
    // https://www.rabbitmq.com/docs/dlx
    assert_eq!(times(&rejected("rabbitmq", "dead d"), "exhausted q:1 to d").len(), 1);
    let dropped = rejected("rabbitmq", "");
    assert_eq!(times(&dropped, "exhausted q:1 to nowhere").len(), 1);
    assert_eq!(dropped.last.queue(0).dead().count(), 0);
}

#[test]
fn the_delay_of_a_returned_message_is_kept_where_the_product_has_one() {
    let again = |profile: &str| {
        let text = format!(
            "{ONE_MESSAGE}service K
  receive q as m
    if m.deliveries = 1
      nack m after 10s
      done
    ack m
"
        );
        times(&story(profile, "", &text), "delivery q:1 number 2")[0]
    };
    for (profile, at) in [
        ("sqs", 10_004),       // …/APIReference/API_ChangeMessageVisibility.html
        ("sqs-fifo", 10_004),  // …/APIReference/API_ChangeMessageVisibility.html
        ("jetstream", 10_004), // …/develop_jetstream/consumers: NakWithDelay
        ("rabbitmq", 6),       // https://www.rabbitmq.com/docs/nack: requeued at once
        ("servicebus", 6),     // …/servicebusreceiver.abandonmessageasync: available at once
        ("artemis", 6),        // …/undelivered-messages.html#delayed-redelivery: a setting of the address
    ] {
        assert_eq!(again(profile), at, "{profile}");
    }
}

#[test]
fn a_message_for_nobody_is_confirmed_or_refused() {
    let published = |profile: &str| {
        let trace = story(profile, "", "service Sender\n  at 0s publish t (id = 1)\n");
        times(&trace, "discarded t").len() == 1
    };
    assert!(published("rabbitmq")); // https://www.rabbitmq.com/docs/confirms#when-publishes-are-confirmed
    assert!(published("artemis")); // …/address-settings.html: send-to-dla-on-no-route is off
    assert!(!published("jetstream"));
}

#[test]
fn an_old_message_goes_to_the_dead_letter_queue_only_where_the_product_says_so() {
    let expired = |profile: &str| {
        let trace = story(profile, "expires 1h dead d", ONE_MESSAGE);
        times(&trace, "expired q:1 to d").len() == 1
    };
    assert!(expired("rabbitmq")); // https://www.rabbitmq.com/docs/dlx: expired messages are dead-lettered
    assert!(!expired("sqs")); // …/APIReference/API_SetQueueAttributes.html: deleted after the retention period
    assert!(!expired("servicebus")); // …/service-bus-dead-letter-queues#time-to-live: only if enabled
    assert!(!expired("jetstream")); // https://docs.nats.io/nats-concepts/jetstream/streams#configuration
    assert!(!expired("kafka")); // https://kafka.apache.org/documentation/#topicconfigs_retention.ms
}

/// Every word that some product may have no meaning for, each on a line of its own.
const ALL_WORDS: &str = "scenario words
broker b
  queue lease lease 7s
  queue attempts attempts 2
  queue dead dead lease
  queue drop drop
  queue keep keep
  queue stale stale steals
  queue volatile volatile
  queue grouped grouped
  queue dedupe dedupe 7s
  queue queued dedupe while queued
  queue capacity capacity 7
  queue log partitions 3
service S
  at 0s publish lease (id = 1) after 5s
  at 1s redrive dead to lease
  receive lease as m
    nack m after 5s
    nack m dead
    extend m
    keep m every 5s
  receive log group g as x done
  receive queued prefetch 3 as y done
";

#[test]
fn what_a_product_cannot_do_is_said_with_its_line_and_nothing_else_is() {
    let lines = [
        (3, Word::Lease),
        (4, Word::Attempts),
        (5, Word::Dead),
        (6, Word::Drop),
        (7, Word::Keep),
        (8, Word::Stale),
        (9, Word::Volatile),
        (10, Word::Grouped),
        (11, Word::Dedupe),
        (12, Word::DedupeWhileQueued),
        (13, Word::Capacity),
        (14, Word::Partitions),
        (16, Word::PublishAfter),
        (17, Word::Redrive),
        (19, Word::NackAfter),
        (20, Word::NackDead),
        (21, Word::Extend),
        (22, Word::Extend),
        (23, Word::Partitions),
        (24, Word::Prefetch),
    ];
    assert_eq!(
        read(ALL_WORDS).notes,
        [],
        "a broker that is no product can do everything"
    );
    for profile in PROFILES {
        let text = edit::set_profile(ALL_WORDS, "b", Some(profile.name)).expect("the broker is there");
        let scenario = read(&text);
        let noted: Vec<u32> = scenario.notes.iter().map(|note| note.line).collect();
        let cannot = |word: Word| profile.cannot.iter().any(|cannot| cannot.word == word);
        let wanted: Vec<u32> = lines
            .iter()
            .filter(|(_, word)| cannot(*word))
            .map(|(line, _)| *line)
            .collect();
        assert_eq!(noted, wanted, "{}", profile.name);
        for note in &scenario.notes {
            assert!(note.url.starts_with("https://") && note.en.contains("no effect") && note.de.contains("nicht"));
        }
        let named = scenario.program.brokers[0].profile.map(|profile| profile.name);
        assert_eq!(named, Some(profile.name));
    }
}

#[test]
fn a_lease_that_the_product_does_not_have_is_not_faked() {
    let text = format!("{ONE_MESSAGE}service K\n  receive q as m\n    extend m\n    on refused done\n    ack m\n");
    let trace = story("rabbitmq", "lease 10s", &text);
    assert_eq!(times(&trace, "lease ended"), [0; 0]);
    assert!(
        trace
            .canonical()
            .contains("extend.1 line 13 Refused: the queue has no lease to extend")
    );
}

#[test]
fn what_a_text_says_goes_before_what_the_product_does_by_default() {
    let lease = |profile: &str| {
        read(&format!(
            "scenario s\nbroker b like {profile}\n  queue q lease 5s attempts 2\n"
        ))
    };
    for profile in ["sqs", "servicebus", "jetstream"] {
        let scenario = lease(profile);
        let queue = &scenario.program.queues[0];
        assert_eq!((queue.lease, queue.attempts), (Some(5_000), Some(2)), "{profile}");
        assert_eq!(scenario.notes, [], "{profile}");
    }
}

#[test]
fn only_artemis_takes_part_in_two_phase_commits() {
    for profile in PROFILES {
        let scenario = read(&format!("scenario s\nbroker b like {}\n", profile.name));
        assert_eq!(scenario.program.brokers[0].two_phase, profile.name == "artemis");
    }
}

#[test]
fn an_unknown_profile_is_named_with_those_there_are() {
    let found = language::parse("scenario s\nbroker b like rabitmq\n").expect_err("unknown");
    let text = found[0].to_string();
    assert!(
        text.starts_with("line 2, column 15: there is no profile `rabitmq`, did you mean `rabbitmq`?"),
        "{text}"
    );
}

#[test]
fn every_profile_names_its_pages_and_is_found_by_its_name() {
    for profile in PROFILES {
        assert_eq!(
            Profile::find(profile.name).map(|found| found.product),
            Some(profile.product)
        );
        let urls = profile.facts.iter().map(|fact| fact.url);
        for url in urls.chain(profile.cannot.iter().map(|cannot| cannot.url)) {
            assert!(url.starts_with("https://"), "{url}");
        }
        for fact in profile.facts {
            assert!(fact.en.ends_with('.') && fact.de.ends_with('.'), "{}", fact.en);
        }
    }
}
