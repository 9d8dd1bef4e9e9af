//! Both ends of a worker: the page starts one and is told; the worker says and is told. What goes to and fro are lists of texts.
//!
//! Refuses to know: what is said.

use gloo::events::EventListener;
use gloo::utils::document;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, ErrorEvent, MessageEvent, WorkerOptions, WorkerType};

/// The page's end. The worker ends with it, whatever it is at.
pub struct Worker {
    worker: web_sys::Worker,
    _listeners: [EventListener; 2],
}

impl Worker {
    /// Starts one with the program of this page.
    ///
    /// # Errors
    /// Why the browser has none.
    pub fn start(told: impl Fn(Vec<String>) + 'static, failed: impl Fn(String) + 'static) -> Result<Worker, String> {
        let address = address().ok_or("the page does not know its own program")?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = web_sys::Worker::new_with_options(&address, &options).map_err(|error| words(&error))?;
        let listeners = [
            EventListener::new(&worker, "message", move |event| told(received(event))),
            EventListener::new(&worker, "error", move |event| {
                let error = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
                failed(
                    error
                        .filter(|text| !text.is_empty())
                        .unwrap_or_else(|| "it did not load".to_owned()),
                );
            }),
        ];
        Ok(Worker {
            worker,
            _listeners: listeners,
        })
    }

    pub fn tell(&self, words: &[String]) {
        // Lists of texts can always be copied.
        let _ = self.worker.post_message(&list(words));
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// `page/worker.js`, with the files of this page's program: a worker of another build would not understand it.
fn address() -> Option<String> {
    let file = |selector: &str| {
        let link = document().query_selector(selector).ok()??;
        let address = link.get_attribute("href")?;
        address.rsplit('/').next().map(str::to_owned)
    };
    let module = file("link[rel='modulepreload']")?;
    let wasm = file("link[rel='preload'][type='application/wasm']")?;
    Some(format!("./worker.js?module={module}&wasm={wasm}"))
}

/// What the browser says about what it refused.
fn words(error: &JsValue) -> String {
    let message = js_sys::Reflect::get(error, &"message".into()).ok();
    message
        .and_then(|message| message.as_string())
        .unwrap_or_else(|| format!("{error:?}"))
}

fn list(words: &[String]) -> Array {
    words.iter().map(|word| JsValue::from_str(word)).collect()
}

fn received(event: &web_sys::Event) -> Vec<String> {
    let data = event.dyn_ref::<MessageEvent>().map(MessageEvent::data);
    let list = data.and_then(|data| data.dyn_into::<Array>().ok()).unwrap_or_default();
    list.iter().filter_map(|word| word.as_string()).collect()
}

// --- The worker's end ---------------------------------------------------------------------------------------------

fn scope() -> DedicatedWorkerGlobalScope {
    // Only what runs in a worker asks.
    js_sys::global().unchecked_into()
}

/// Calls with what the page tells, until the returned value is dropped.
pub fn on_told(told: impl Fn(Vec<String>) + 'static) -> EventListener {
    EventListener::new(&scope(), "message", move |event| told(received(event)))
}

/// Says something to the page.
pub fn say(words: &[String]) {
    // As above.
    let _ = scope().post_message(&list(words));
}

/// Tells the page of a panic: nothing more will come.
pub fn report_panics_to_page() {
    std::panic::set_hook(Box::new(|panic| say(&["failed".to_owned(), panic.to_string()])));
}

/// Milliseconds of real time since some instant.
pub fn now() -> f64 {
    js_sys::Date::now()
}
