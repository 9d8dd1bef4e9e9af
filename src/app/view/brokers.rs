//! Brokers: the product each is like, the rules that come with it, and what the text says in vain.
//!
//! Refuses to know: what any rule does, and which products there are.

use crate::app::model::Model;
use crate::app::words::{sentences, ui};
use crate::program::profile::{PROFILES, Profile};
use crate::program::{BrokerSchema, Note};
use crate::value::Name;
use crate::words::Language;

/// The brokers of what is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brokers {
    pub list: Vec<Broker>,
    /// What the text says and a product has no meaning for, in text sequence.
    pub notes: Vec<BrokerNote>,
    /// The text has errors: no other product can be chosen.
    pub locked: bool,
}

/// One broker. A choice sends [`crate::app::message::Message::SetProfile`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broker {
    pub name: Name,
    /// "sqs is like".
    pub label: String,
    /// No product first, then every profile.
    pub choices: Vec<BrokerChoice>,
    /// "What holds for RabbitMQ (6)"; empty for a broker that is no product.
    pub summary: String,
    /// What the product sets; empty for a broker that is no product.
    pub rules: Vec<BrokerRule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerChoice {
    /// None: no product.
    pub profile: Option<&'static str>,
    pub label: &'static str,
    pub chosen: bool,
}

/// A rule in a sentence, and where it is documented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerRule {
    pub text: &'static str,
    pub page: DocumentPage,
}

/// A word of the text that has no effect, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerNote {
    /// "line 11".
    pub line: String,
    /// Words of the language stand between backticks.
    pub text: String,
    pub page: DocumentPage,
}

/// A page of a product's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentPage {
    pub address: &'static str,
    /// "rabbitmq.com".
    pub host: &'static str,
}

pub(super) fn brokers(model: &Model) -> Brokers {
    let language = model.language;
    let scenario = &model.played.scenario;
    Brokers {
        list: scenario
            .program
            .brokers
            .iter()
            .map(|schema| broker(schema, language))
            .collect(),
        notes: scenario.notes.iter().map(|found| note(found, language)).collect(),
        locked: model.is_outdated(),
    }
}

fn broker(schema: &BrokerSchema, language: Language) -> Broker {
    let own = schema.profile;
    let plain = BrokerChoice {
        profile: None,
        label: ui(language).no_product,
        chosen: own.is_none(),
    };
    let choice = |profile: &'static Profile| BrokerChoice {
        profile: Some(profile.name),
        label: profile.product,
        chosen: own.is_some_and(|own| own.name == profile.name),
    };
    let rules = own.map_or(&[][..], |profile| profile.facts);
    Broker {
        name: schema.name.clone(),
        label: sentences::broker_is_like(language, &schema.name),
        choices: std::iter::once(plain).chain(PROFILES.iter().map(choice)).collect(),
        summary: own.map_or_else(String::new, |profile| {
            sentences::rules_of(language, profile.product, rules.len())
        }),
        rules: rules
            .iter()
            .map(|fact| BrokerRule {
                text: match language {
                    Language::En => fact.en,
                    Language::De => fact.de,
                },
                page: page(fact.url),
            })
            .collect(),
    }
}

fn note(note: &Note, language: Language) -> BrokerNote {
    let text = match language {
        Language::En => &note.en,
        Language::De => &note.de,
    };
    BrokerNote {
        line: format!("{} {}", ui(language).line, note.line),
        text: text.to_string(),
        page: page(note.url),
    }
}

fn page(address: &'static str) -> DocumentPage {
    let host = address.split('/').nth(2).unwrap_or(address);
    DocumentPage {
        address,
        host: host.strip_prefix("www.").unwrap_or(host),
    }
}
