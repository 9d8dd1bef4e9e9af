//! Two buttons: the page's language and its colours. Each goes on to the next choice and says which one is on.
//!
//! Refuses to know: how the choice is remembered.

use crate::app::message::Message;
use crate::app::model::Theme;
use crate::app::words::ui;
use crate::ui::icon::{self, Icon};
use crate::ui::send::sends;
use crate::words::Language;
use yew::prelude::*;

#[derive(PartialEq, Properties)]
pub struct PreferencesProps {
    pub language: Language,
    pub theme: Theme,
    pub send: Callback<Message>,
}

#[component]
pub fn Preferences(PreferencesProps { language, theme, send }: &PreferencesProps) -> Html {
    let words = ui(*language);
    let (name, drawing) = match theme {
        Theme::System => (words.theme_system, icon::SYSTEM),
        Theme::Light => (words.theme_light, icon::SUN),
        Theme::Dark => (words.theme_dark, icon::MOON),
    };
    let theme_title = format!("{}: {}", words.theme, name);
    let other = next([Language::En, Language::De], *language);
    html! {
        <>
            <button type="button" class="tool tool-language" title={words.language}
                aria-label={format!("{}: {}", words.language, language.code())}
                onclick={sends(send, Message::SetLanguage(other))}>
                { language.code().to_uppercase() }
            </button>
            <button type="button" class="tool tool-theme" title={theme_title.clone()} aria-label={theme_title}
                onclick={sends(send, Message::SetTheme(next(Theme::ALL, *theme)))}>
                <Icon {drawing} />
            </button>
        </>
    }
}

/// The choice after this one, in a circle.
fn next<T: Copy + PartialEq, const N: usize>(all: [T; N], current: T) -> T {
    let after = all.iter().skip_while(|&&choice| choice != current).nth(1);
    after.or(all.first()).copied().unwrap_or(current)
}
