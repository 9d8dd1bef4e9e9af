//! The messages in German.

use super::{Notion, Problem, Thing, What, list, quoted};
use crate::value::Name;
use crate::words::Language;

/// One or two sentences on a problem, without its place.
pub fn text(problem: &Problem) -> String {
    use Problem::*;
    match problem {
        TooLarge { bytes_max } => format!("Der Text ist größer als {} KiB", bytes_max / 1024),
        Tab => "Eingerückt wird mit Leerzeichen, nicht mit Tabulatoren".to_owned(),
        Indentation => "Diese Zeile ist anders eingerückt als die Zeilen, zu denen sie gehört".to_owned(),
        TooDeep { levels_max } => format!("Blöcke sind tiefer als {levels_max} Ebenen verschachtelt"),
        UnknownCharacter(c) => format!("`{}` hat hier keine Bedeutung", c.escape_debug()),
        OpenText(quote) => format!("Der Text, der mit {quote} beginnt, endet nicht in dieser Zeile"),
        NumberTooLarge => "Diese Zahl ist zu groß".to_owned(),
        UnknownUnit(unit) => format!("`{unit}` ist keine Zeiteinheit: erwartet `ms`, `s`, `min`, `h` oder `d`"),
        Expected { found, expected, near } => unexpected(found.as_deref(), expected, near.as_ref()),
        StrayOn => "Dieses `on` folgt keiner Anweisung, zu der es gehören könnte: Es steht direkt unter seiner Anweisung, \
                    gleich weit eingerückt, und fängt deren Fehler"
            .to_owned(),
        StrayElse => {
            "Dieses `else` folgt keinem `if`: Es steht direkt unter dem Block seines `if`, gleich weit eingerückt".to_owned()
        }
        ExpressionTooDeep { levels_max } => format!("Der Ausdruck ist tiefer als {levels_max} Ebenen verschachtelt"),
        BadInterval(text) => {
            format!("'{text}' ist kein Intervall: erwartet ganze Einheiten wie '30s' oder '1 day 2 hours'")
        }
        Unknown {
            thing: kind,
            name,
            near,
            known,
        } => unknown(*kind, name, near.as_ref(), known),
        Twice { thing: kind, name } => format!("Zum zweiten Mal steht hier: {} `{name}`", thing(*kind)),
        Ambiguous { name, choices, .. } => {
            let choices = list(&quoted(choices), "oder");
            format!("Was `{name}` meint, ist offen: schreibe {choices}")
        }
        NotOn {
            service,
            table,
            database,
        } if table == database => format!(
            "Service `{service}` ist nicht mit Datenbank `{database}` verbunden: schreibe `service {service} on … {database}`"
        ),
        NotOn {
            service,
            table,
            database,
        } => format!(
            "Tabelle `{table}` liegt in Datenbank `{database}`, mit der Service `{service}` nicht verbunden ist: schreibe `service {service} on {database}`"
        ),
        OnNone { service } => {
            format!("Service `{service}` ist mit keiner Datenbank verbunden: schreibe `service {service} on DATENBANK`")
        }
        Reserved(name) => format!("`{name}` hat eine eigene Bedeutung und kann hier kein Name sein"),
        WrongType { .. } | Operator { .. } | ColumnType { .. } | BadLiteral { .. } | NoFields { .. } => types(problem),
        ValueCount { columns, values } => {
            format!("Zu viele oder zu wenige Werte: Spalten {columns}, Werte {values}")
        }
        ArgumentCount { name, wanted, found } => format!("`{name}` nimmt {wanted} Argumente, hier stehen {found}"),
        OutOfRange { min, max } => format!("Erwartet eine Zahl von {min} bis {max}"),
        ZeroTime => "Diese Zeit muss länger als null sein".to_owned(),
        NoUnique => "Die Tabelle hat keine Eindeutigkeit auf genau diesen Spalten".to_owned(),
        AggregateHere => "`count`, `sum`, `min` und `max` können nur in der Auswahlliste eines `select` stehen und nicht ineinander; \
                          die Länge einer Liste ist `length(liste)`"
            .to_owned(),
        Ungrouped(column) => {
            format!("Spalte `{column}` steht neben einem Aggregat: Es gibt eine Ergebniszeile, aber viele ihrer Werte")
        }
        LockedAggregate => "`for update` kann die Zeilen eines Aggregats nicht sperren".to_owned(),
        OneColumn(columns) => format!("Dieses `select` muss eine Spalte liefern, es liefert {columns}"),
        NoReturningHere => "Zeilen, die von Anfang an da sind, geben nichts zurück".to_owned(),
        FreshInSql => {
            "`fresh` kann nicht in SQL stehen: setze zuerst eine Variable (`id = fresh('pay')`), dann nimm `:id`".to_owned()
        }
        SelectInProgram => {
            "Ein `select` kann nicht in einem Ausdruck des Programms stehen: schreibe zuerst `rows = select …`, dann nimm `rows`".to_owned()
        }
        SelectHere => "Hier kann kein `select` stehen".to_owned(),
        Colon(name) => format!("Außerhalb von SQL steht eine Variable ohne Doppelpunkt: `{name}`"),
        NoColon(name) => format!("In SQL steht eine Variable mit Doppelpunkt: `:{name}`"),
        NoVariableHere(name) => format!("Hier gibt es keine Variablen, `{name}` hat also keinen Wert"),
        NoRow(name) => format!("Hier muss eine Zeile genannt werden: `effect.{name}` oder `cause.{name}`"),
        NotAStep => {
            "Nur ein Schritt kann einen Namen bekommen, und dies ist keiner: Ein Schritt ist eine Anfrage an eine Datenbank, einen Broker oder einen anderen Beteiligten".to_owned()
        }
        NoValue => "Diese Anfrage liefert keinen Wert, der zugewiesen werden könnte".to_owned(),
        BreakOutsideLoop => "`break` verlässt ein `for` oder `repeat`, und hier ist keines".to_owned(),
        ReturnOutsideHandler => "`return` verlässt einen `handle`-Block, und hier ist keiner".to_owned(),
        Recursion(name) => format!("`{name}` ruft sich selbst auf; das geht innerhalb eines Service nicht"),
        HandlerInExpression(name) => format!(
            "Der Handler `{name}` kann nicht in einem Ausdruck aufgerufen werden: schreibe `x = {name}(…)` als eigene Anweisung"
        ),
        NeedsUntil => {
            "Dies wiederholt sich ohne Ende und vergleicht mit `now()`, der Lauf kommt also nie zur Ruhe: schreibe `until ZEIT` unter `scenario`".to_owned()
        }
        CodeTooLarge { instructions_max } => format!(
            "Der Service ist größer als {instructions_max} Instruktionen, Kopien seiner Handler eingerechnet"
        ),
        TooManyInstances { instances_max } => format!("Alle Services zusammen haben mehr als {instances_max} Instanzen"),
        TooManyNames { names_max } => format!("Mehr als {names_max} Namen einer Art"),
    }
}

fn types(problem: &Problem) -> String {
    match problem {
        Problem::Operator {
            operator: "::",
            left,
            right: Some(right),
        } => format!("{left} lässt sich nicht in {right} umwandeln"),
        Problem::Operator {
            operator,
            left,
            right: Some(right),
        } => format!("`{left} {operator} {right}` gibt es nicht: Die Typen passen nicht zusammen"),
        Problem::Operator { operator, left, .. } => format!("`{operator}` gibt es nicht für {left}"),
        Problem::ColumnType {
            column,
            column_type,
            found,
        } => format!("Spalte `{column}` hat den Typ {column_type}, der Wert den Typ {found}"),
        Problem::BadLiteral { text, wanted } => format!("'{text}' lässt sich nicht als {wanted} lesen"),
        Problem::NoFields { name, found } => format!("`{name}` hat den Typ {found} und keine Felder"),
        Problem::WrongType {
            wanted: "boolean",
            found: found @ "int",
        } => format!("Erwartet eine Bedingung, gefunden {found}: vergleiche den Wert, etwa `n > 0`"),
        Problem::WrongType { wanted, found } => format!("Erwartet {wanted}, gefunden {found}"),
        _ => String::new(), // no other problem comes here
    }
}

fn unexpected(found: Option<&str>, expected: &[What], near: Option<&Name>) -> String {
    let expected: Vec<String> = expected.iter().map(|what| what.text(Language::De)).collect();
    let found = found.map_or_else(|| "das Ende der Zeile".to_owned(), |found| format!("`{found}`"));
    let expected = list(&expected, "oder");
    match near {
        Some(near) => format!("Gefunden {found}, ist `{near}` gemeint? Erwartet {expected}"),
        None => format!("Erwartet {expected}, gefunden {found}"),
    }
}

fn unknown(kind: Thing, name: &Name, near: Option<&Name>, known: &[Name]) -> String {
    let head = format!("Unbekannt: {} `{name}`", thing(kind));
    match (near, known) {
        (Some(near), _) => format!("{head}, ist `{near}` gemeint? Es gibt {}", list(&quoted(known), "und")),
        (None, []) => format!("{head}; es gibt hier nichts dergleichen"),
        (None, known) => format!("{head}, es gibt {}", list(&quoted(known), "und")),
    }
}

fn thing(thing: Thing) -> &'static str {
    match thing {
        Thing::Database => "Datenbank",
        Thing::Broker => "Broker",
        Thing::Table => "Tabelle",
        Thing::Column => "Spalte",
        Thing::Queue => "Queue",
        Thing::Destination => "Queue oder Topic",
        Thing::Outside => "Außenstehender",
        Thing::Service => "Service",
        Thing::Handler => "Handler",
        Thing::Variable => "Variable",
        Thing::Field => "Feld",
        Thing::Function => "Funktion",
        Thing::Relation => "Tabelle, Queue oder Außenstehender",
        Thing::Clause => "Angabe",
        Thing::Profile => "Profil",
        Thing::Party => "Name",
    }
}

/// What can stand at a place, with its article.
pub fn notion(notion: Notion) -> &'static str {
    match notion {
        Notion::Name => "ein Name",
        Notion::Column => "der Name einer Spalte",
        Notion::Expression => "ein Ausdruck",
        Notion::Time => "eine Zeit wie `30s`",
        Notion::Int => "eine ganze Zahl",
        Notion::Text => "ein Text in Hochkommas ('…')",
        Notion::Quoted => "ein Text in Anführungszeichen (\"…\")",
        Notion::Step => "der Name eines Schritts wie `publish-events`",
        Notion::Statement => "eine Zuweisung oder der Aufruf eines Handlers",
        Notion::Literal => "eine Zahl oder ein Text in Hochkommas",
        Notion::DeeperLine => "eine Anweisung hier oder auf tieferen Zeilen darunter",
        Notion::EndOfLine => "das Ende der Zeile",
        Notion::Id => "eine Id wie `O5`",
        Notion::LanguageCode => "eine Sprache wie `de`",
    }
}
