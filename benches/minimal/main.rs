//! The smallest Yew page: a button that counts its clicks, built like the page. What Crashpoint weighs and takes is
//! measured beside it (`make bench`).

#[cfg(target_arch = "wasm32")]
mod page {
    use yew::prelude::*;

    #[component]
    fn Counter() -> Html {
        let count = use_state(|| 0_u32);
        let click = {
            let count = count.clone();
            Callback::from(move |_: MouseEvent| count.set(*count + 1))
        };
        html! { <button type="button" id="count" onclick={click}>{ *count }</button> }
    }

    pub fn run() {
        yew::Renderer::<Counter>::new().render();
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    page::run();
}

/// Natively there is no page.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
