//! What the outbox and inbox software leaves behind, each with the fault that its text states.

use crate::end::{End, check};

/// Two rows of the outbox are two positions in the commit log.
#[test]
fn debezium_sends_again_what_it_sent_since_it_stored_its_position() {
    check(&[
        End {
            id: "debezium",
            rows: &[("shop.offsets", &["shop 2"])],
            queues: &[("orders", &["evt-1003", "evt-1004", "evt-1003", "evt-1004"])],
        },
        End {
            id: "debezium-inbox",
            rows: &[
                ("shop.offsets", &["shop 2"]),
                ("warehouse.inbox", &["evt-1003", "evt-1004"]),
                ("warehouse.parcels", &["1 1003", "2 1004"]),
            ],
            queues: &[("orders", &[])],
        },
    ]);
}

#[test]
fn spring_modulith_completes_a_publication_with_the_listener_or_after_it() {
    check(&[
        End {
            id: "spring-modulith",
            rows: &[
                ("app.orders", &["1003 120"]),
                ("app.parcels", &[]),
                ("app.event_publication", &["pub-1003 1003 null"]),
            ],
            queues: &[],
        },
        // Dead at 10.008 s, back at 15.008 s; the listener begins its transaction at 15.011 s.
        End {
            id: "spring-modulith-republish",
            rows: &[
                ("app.orders", &["1003 120"]),
                ("app.parcels", &["1 1003"]),
                ("app.event_publication", &["pub-1003 1003 15011ms"]),
            ],
            queues: &[],
        },
        // Dead at 10.014 s, after the listener; back at 15.014 s, and four steps later the publication is completed by itself.
        End {
            id: "spring-modulith-2-1",
            rows: &[
                ("app.orders", &["1003 120"]),
                ("app.parcels", &["1 1003", "2 1003"]),
                ("app.event_publication", &["pub-1003 1003 15023ms"]),
            ],
            queues: &[],
        },
    ]);
}

#[test]
fn masstransit_drops_the_copy_where_there_is_an_inbox() {
    check(&[
        End {
            id: "masstransit",
            rows: &[
                ("shop.outbox_message", &[]),
                ("warehouse.inbox_state", &["evt-1003 true"]),
                ("warehouse.outbox_message", &[]),
                ("warehouse.parcels", &["1 1003"]),
            ],
            queues: &[("orders", &[]), ("shipped", &["shipped-evt-1003"])],
        },
        End {
            id: "masstransit-bus",
            rows: &[
                ("shop.outbox_message", &[]),
                ("warehouse.parcels", &["1 1003", "2 1003"]),
            ],
            queues: &[("orders", &[])],
        },
    ]);
}

#[test]
fn nservicebus_sends_again_and_the_next_outbox_drops_it() {
    check(&[
        End {
            id: "nservicebus",
            rows: &[
                ("sales.orders", &["1003"]),
                ("sales.outbox_record", &["cmd-1003 evt-cmd-1003 true"]),
                ("shipping.outbox_record", &["evt-cmd-1003"]),
                ("shipping.parcels", &["1 1003"]),
            ],
            queues: &[("commands", &[]), ("events", &[])],
        },
        End {
            id: "nservicebus-plain",
            rows: &[
                ("sales.orders", &["1003"]),
                ("sales.outbox_record", &["cmd-1003 evt-cmd-1003 true"]),
                ("shipping.parcels", &["1 1003", "2 1003"]),
            ],
            queues: &[("commands", &[]), ("events", &[])],
        },
        End {
            id: "nservicebus-session",
            rows: &[
                ("sales.orders", &["1003"]),
                ("shipping.outbox_record", &[]),
                ("shipping.parcels", &[]),
            ],
            queues: &[("events", &[])],
        },
    ]);
}

/// The first node gets the message, dies before it has opened a case, and so takes no number.
#[test]
fn wolverine_takes_over_and_forgets_after_five_minutes() {
    check(&[
        End {
            id: "wolverine",
            rows: &[
                ("portal.outgoing", &[]),
                ("insurer.incoming", &["n-9921 4711 Handled node-2"]),
                ("insurer.cases", &["1 4711"]),
            ],
            queues: &[("claims", &[])],
        },
        // The row is that of the copy, which came after the first was deleted and is kept beyond the end of the story.
        End {
            id: "wolverine-late",
            rows: &[
                ("portal.outgoing", &[]),
                ("insurer.incoming(id, body, status)", &["n-9921 4711 Handled"]),
                ("insurer.cases", &["1 4711", "2 4711"]),
            ],
            queues: &[("claims", &[])],
        },
    ]);
}

#[test]
fn eventuate_tram_recognises_the_copy_by_its_table() {
    check(&[
        End {
            id: "eventuate-tram",
            rows: &[
                ("shop.offset_store", &["shop 1"]),
                ("warehouse.received_messages", &["warehouse msg-1003"]),
                ("warehouse.parcels", &["1 1003"]),
            ],
            queues: &[("orders", &[])],
        },
        End {
            id: "eventuate-tram-noop",
            rows: &[
                ("shop.offset_store", &["shop 1"]),
                ("warehouse.parcels", &["1 1003", "2 1003"]),
            ],
            queues: &[("orders", &[])],
        },
    ]);
}

#[test]
fn camel_notes_the_id_before_or_after_the_work() {
    check(&[
        End {
            id: "camel",
            rows: &[("insurer.cases", &["1 4711", "2 4711"])],
            queues: &[("claims", &[])],
        },
        End {
            id: "camel-lazy",
            rows: &[("insurer.cases", &["1 4711", "2 4711"])],
            queues: &[("claims", &[])],
        },
        End {
            id: "camel-database",
            rows: &[
                ("insurer.camel_messageprocessed", &["claims n-9921"]),
                ("insurer.cases", &[]),
            ],
            queues: &[("claims", &[])],
        },
        End {
            id: "camel-keep",
            rows: &[("insurer.cases", &[])],
            queues: &[("claims", &[])],
        },
    ]);
}
