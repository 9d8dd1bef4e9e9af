//! One table, or the effects of one outside party, with what the last event changed.
//!
//! Refuses to know: what the rows mean.

use crate::app::view::{self, Change, TableCell, TableRow};
use crate::app::words::{Words, ui};
use crate::words::Language;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct TableProps {
    pub language: Language,
    pub table: view::Table,
}

#[component]
pub fn Table(TableProps { language, table }: &TableProps) -> Html {
    let words = ui(*language);
    let columns = (table.columns.len() + 1).to_string();
    html! {
        <div class={classes!("relation", table.down.then_some("relation-down"))}>
            <table>
                <caption>
                    <span class="relation-owner">{ owner(&table.database) }</span>
                    <span class="relation-name">{ &table.name }</span>
                    <span class="relation-note" hidden={!table.down}>{ words.not_answering }</span>
                </caption>
                <thead>
                    <tr>
                        <th key="change" class="change-column"><span class="off-screen">{ words.changed }</span></th>
                        { for table.columns.iter().enumerate().map(|(index, column)| html! { <th key={index} scope="col">{ column.to_string() }</th> }) }
                    </tr>
                </thead>
                <tbody>
                    { for table.rows.iter().enumerate().map(|(index, each)| row(words, index, each)) }
                    <tr key="empty" class="relation-empty" hidden={!table.rows.is_empty()}>
                        <td colspan={columns}>{ words.empty }</td>
                    </tr>
                </tbody>
            </table>
            <p class="relation-more" hidden={table.more.is_empty()}>{ &table.more }</p>
        </div>
    }
}

/// A relation's database or broker, with the dot before the relation's own name.
pub fn owner(name: &str) -> String {
    if name.is_empty() {
        String::new()
    } else {
        format!("{name}.")
    }
}

/// The sign of a change: its shape says which, its title names it.
pub fn change_sign(words: &'static Words, change: Change) -> Html {
    let (sign, name) = match change {
        Change::Same => ("", ""),
        Change::Inserted => ("+", words.inserted),
        Change::Updated => ("~", words.updated),
        Change::Deleted => ("−", words.deleted),
    };
    html! { <span class="change-sign" title={name}><span aria-hidden="true">{ sign }</span><span class="off-screen">{ name }</span></span> }
}

fn row(words: &'static Words, key: usize, row: &TableRow) -> Html {
    let open = row
        .uncommitted
        .as_ref()
        .map(|writer| format!("{} · {}", words.uncommitted, writer));
    html! {
        <tr {key} class={classes!(format!("change-{}", row.change.slug()), open.is_some().then_some("row-uncommitted"))} title={open.clone()}>
            <td key="change" class="change-column">{ change_sign(words, row.change) }</td>
            { for row.cells.iter().enumerate().map(|(index, each)| cell(index, each)) }
            <td key="open" class="row-note" hidden={open.is_none()}>{ open.unwrap_or_default() }</td>
        </tr>
    }
}

fn cell(key: usize, cell: &TableCell) -> Html {
    let class = classes!(
        cell.is_null.then_some("cell-null"),
        cell.changed.then_some("cell-changed")
    );
    html! { <td {key} {class}>{ &cell.text }</td> }
}
