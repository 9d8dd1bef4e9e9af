//! Colours of the scenario text: a line cut into pieces by what its words are.
//!
//! Refuses to know: words. `language::highlight` tells what a word is; a text with errors is coloured like any other.

use crate::app::view::{Piece, PieceClass};
use crate::language::{self, Class};
use std::rc::Rc;

/// The pieces of one line; concatenated they are the line.
pub fn line(text: &str) -> Rc<[Piece]> {
    let is_fault = crate::link::fault_lines::is_fault_line(text);
    let mut pieces = Pieces(Vec::new());
    let mut end = 0;
    for (range, class) in language::highlight(text) {
        let first = text[..range.start].trim().is_empty();
        let labels = first && text[range.end..].starts_with(':') && !text[range.end..].starts_with("::");
        let class = match class {
            Class::Comment => PieceClass::Comment,
            // A fault's words are names of steps and their like, whatever they mean elsewhere.
            _ if is_fault => PieceClass::Fault,
            Class::Name | Class::Keyword if labels => PieceClass::Label,
            Class::Keyword if first => PieceClass::Keyword,
            Class::Keyword => PieceClass::Word,
            Class::Name => PieceClass::Plain,
            Class::Text => PieceClass::Text,
            Class::Number => PieceClass::Number,
        };
        let between = &text[end..range.start];
        let beside = if is_fault && end > 0 && class != PieceClass::Comment {
            PieceClass::Fault
        } else {
            PieceClass::Plain
        };
        pieces.push(beside, between);
        pieces.push(class, &text[range.clone()]);
        end = range.end;
    }
    pieces.push(PieceClass::Plain, &text[end..]);
    pieces.0.into()
}

struct Pieces(Vec<Piece>);

impl Pieces {
    fn push(&mut self, class: PieceClass, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.class == class => last.text.push_str(text),
            _ => self.0.push(Piece {
                class,
                text: text.to_owned(),
            }),
        }
    }
}

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
        assert!(step.contains(&(PieceClass::Word, "set".into())));
        assert!(step.contains(&(PieceClass::Number, "1".into())));
        assert!(step.contains(&(PieceClass::Text, "'a'".into())));
        assert_eq!(step.last(), Some(&(PieceClass::Comment, "-- why".into())));
        let fault = classes("crash after Shop.commit.1 -- here");
        assert_eq!(fault[0], (PieceClass::Fault, "crash after Shop.commit.1".into()));
        assert_eq!(fault[1], (PieceClass::Comment, "-- here".into()));
    }
}
