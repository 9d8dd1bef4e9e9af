//! Colours of the scenario text: a line cut into pieces by what its words are.
//!
//! Refuses to know: the grammar. A word is looked up, wherever it stands; a text with errors is coloured like any other.

use crate::app::view::{Piece, PieceClass};
use std::rc::Rc;

/// The pieces of one line; concatenated they are the line.
pub fn line(text: &str) -> Rc<[Piece]> {
    let is_fault = crate::link::fault_lines::is_fault_line(text);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (length, class) = piece(rest, pieces.iter().all(|piece| piece.text.trim().is_empty()));
        let (now, later) = rest.split_at(length);
        // A fault's words are names of steps and their like, whatever they mean elsewhere.
        let class = match class {
            PieceClass::Comment => class,
            _ if is_fault => PieceClass::Fault,
            _ => class,
        };
        match pieces.last_mut() {
            Some(last) if last.class == class => last.text.push_str(now),
            _ => pieces.push(Piece {
                class,
                text: now.to_owned(),
            }),
        }
        rest = later;
    }
    pieces.into()
}

/// The length in bytes and the class of the piece a text begins with; never 0 for a text that is not empty.
fn piece(text: &str, first: bool) -> (usize, PieceClass) {
    let Some(start) = text.chars().next() else {
        return (0, PieceClass::Plain);
    };
    if text.starts_with("--") {
        return (text.len(), PieceClass::Comment);
    }
    if start == '\'' || start == '"' {
        let end = text[1..].find(start).map_or(text.len(), |end| end + 2); // quotes are one byte long
        return (end, PieceClass::Text);
    }
    if start.is_ascii_digit() {
        return (length_while(text, |c| c.is_ascii_alphanumeric()), PieceClass::Number);
    }
    if start.is_alphabetic() || start == '_' {
        let length = length_while(text, |c| c.is_alphanumeric() || c == '_');
        let (word, rest) = text.split_at(length);
        return (length, word_class(word, rest, first));
    }
    (start.len_utf8(), PieceClass::Plain)
}

fn length_while(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

fn word_class(word: &str, rest: &str, first: bool) -> PieceClass {
    if first && rest.starts_with(':') && !rest.starts_with("::") {
        return PieceClass::Label;
    }
    let lower = word.to_ascii_lowercase();
    if SQL.binary_search(&lower.as_str()).is_ok() {
        PieceClass::Sql
    } else if KEYWORDS.binary_search(&lower.as_str()).is_ok() {
        PieceClass::Keyword
    } else {
        PieceClass::Plain
    }
}

/// Words of SQL, in alphabetical sequence.
const SQL: [&str; 62] = [
    "and",
    "as",
    "begin",
    "bigint",
    "bigserial",
    "boolean",
    "by",
    "coalesce",
    "commit",
    "conflict",
    "count",
    "default",
    "delete",
    "desc",
    "do",
    "exists",
    "false",
    "for",
    "from",
    "in",
    "insert",
    "int",
    "integer",
    "interval",
    "into",
    "is",
    "isolation",
    "key",
    "length",
    "level",
    "limit",
    "locked",
    "max",
    "min",
    "not",
    "nothing",
    "now",
    "nowait",
    "null",
    "on",
    "or",
    "order",
    "primary",
    "returning",
    "rollback",
    "savepoint",
    "select",
    "serial",
    "set",
    "skip",
    "split_part",
    "sum",
    "table",
    "text",
    "timestamptz",
    "to",
    "true",
    "unique",
    "update",
    "values",
    "varchar",
    "where",
];

/// Words of the scenario language that are not SQL's, in alphabetical sequence.
const KEYWORDS: [&str; 60] = [
    "about", "ack", "after", "append", "at", "attempts", "before", "break", "broker", "call", "change", "crash", "cut",
    "database", "dead", "delay", "done", "down", "drop", "during", "each", "else", "every", "exit", "expect", "extend",
    "fail", "follow", "fresh", "handle", "if", "keep", "lease", "like", "lose", "matching", "memory", "nack", "never",
    "one", "outside", "pause", "prefetch", "promise", "publish", "queue", "receive", "redrive", "refuse", "repeat",
    "report", "restart", "return", "scenario", "service", "sleep", "start", "title", "topic", "waiting",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(text: &str) -> Vec<(PieceClass, String)> {
        let pieces = line(text);
        let visible = pieces.iter().filter(|piece| !piece.text.trim().is_empty());
        visible
            .map(|piece| (piece.class, piece.text.trim().to_owned()))
            .collect()
    }

    #[test]
    fn the_lists_are_in_sequence_for_the_search() {
        assert!(SQL.is_sorted());
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn pieces_give_back_their_line() {
        for text in [
            "",
            "  mark: update outbox set sent = true -- 'x'",
            "  title en \"half",
            "  s = 'ü'|| 30s",
            "crash after A.b.1",
        ] {
            let whole: String = line(text).iter().map(|piece| piece.text.as_str()).collect();
            assert_eq!(whole, text);
        }
    }

    #[test]
    fn words_texts_numbers_labels_and_faults_are_told_apart() {
        let step = classes("  mark: update outbox set n = 1 where id = 'a' -- why");
        assert_eq!(step[0], (PieceClass::Label, "mark".into()));
        assert!(step.contains(&(PieceClass::Sql, "update".into())));
        assert!(step.contains(&(PieceClass::Number, "1".into())));
        assert!(step.contains(&(PieceClass::Text, "'a'".into())));
        assert_eq!(step.last(), Some(&(PieceClass::Comment, "-- why".into())));
        let fault = classes("crash after Shop.commit.1 -- here");
        assert_eq!(fault[0], (PieceClass::Fault, "crash after Shop.commit.1".into()));
        assert_eq!(fault[1], (PieceClass::Comment, "-- here".into()));
    }
}
