// Runs before the first paint and outlives the Wasm module: the chosen theme and language without a flash, and a way on
// when the module does not load or dies. It knows nothing of the app but these names:
//   localStorage `crashpoint.theme` (`light`, `dark`; otherwise the system's) -> <html data-theme>
//   localStorage `crashpoint.language` (`en`, `de`; otherwise the browser's)  -> <html lang>
//   event `crashpoint-panic` on window, its detail the panic's message, sent by the app's panic hook.
// It sets <html data-started> once the module's main function has returned.
'use strict';
(() => {
  const page = document.documentElement;

  const stored = (key, allowed) => {
    let value = null;
    try {
      value = localStorage.getItem(key);
    } catch {
      // Storage is denied: as if nothing was chosen.
    }
    return allowed.includes(value) ? value : null;
  };

  const theme = stored('crashpoint.theme', ['light', 'dark']);
  if (theme) page.dataset.theme = theme;
  const spoken = (navigator.languages || []).map((tag) => tag.slice(0, 2).toLowerCase());
  page.lang = stored('crashpoint.language', ['en', 'de']) || spoken.find((tag) => tag === 'en' || tag === 'de') || 'en';

  const TEXTS = {
    en: {
      load: ['Crashpoint could not start', 'Its program did not load or this browser cannot run it. Your link is unchanged.'],
      panic: ['Crashpoint has stopped', 'It ran into an error of its own. The address bar still holds what you had open.'],
      reload: 'Reload',
      leave: 'Start without the link',
      details: 'What happened',
    },
    de: {
      load: ['Crashpoint konnte nicht starten', 'Das Programm wurde nicht geladen, oder dieser Browser kann es nicht ausführen. Der Link ist unverändert.'],
      panic: ['Crashpoint hat angehalten', 'Es ist auf einen eigenen Fehler gestoßen. Die Adresszeile enthält noch, was geöffnet war.'],
      reload: 'Neu laden',
      leave: 'Ohne den Link starten',
      details: 'Was geschehen ist',
    },
  };

  const element = (name, text, ...children) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    made.append(...children);
    return made;
  };

  const button = (text, action) => {
    const made = element('button', text);
    made.type = 'button';
    made.addEventListener('click', action);
    return made;
  };

  let failed = false;

  // A Wasm instance must not be entered again after a panic, so its whole page goes.
  const fail = (kind, reason) => {
    if (failed) return;
    failed = true;
    const show = () => {
      const texts = TEXTS[page.lang] || TEXTS.en;
      const [title, sentence] = texts[kind];
      const buttons = [button(texts.reload, () => location.reload())];
      if (location.hash.length > 1) {
        buttons.push(button(texts.leave, () => {
          history.replaceState(null, '', location.pathname + location.search);
          location.reload();
        }));
      }
      const details = element('details', '', element('summary', texts.details), element('pre', reason || '?'));
      const panel = element('main', '', element('h1', title), element('p', sentence), ...buttons, details);
      panel.className = 'boot-failure';
      panel.setAttribute('role', 'alert');
      document.body.replaceChildren(panel);
    };
    if (document.body) show();
    else addEventListener('DOMContentLoaded', show);
  };

  // A panic ends in a trap; so do memory faults. A full stack is a RangeError with Wasm functions on it.
  const isTrap = (error) =>
    (typeof WebAssembly === 'object' && error instanceof WebAssembly.RuntimeError) ||
    (error instanceof RangeError && /wasm/.test(error.stack));
  const started = () => page.dataset.started !== undefined;

  // Before the start every error is fatal; afterwards only a trap is: an extension's error is none of our business.
  const judge = (error, text) => {
    if (isTrap(error)) fail('panic', text);
    else if (!started()) fail('load', text);
  };

  addEventListener('TrunkApplicationStarted', () => { page.dataset.started = ''; });
  addEventListener('crashpoint-panic', (event) => fail('panic', String(event.detail)));
  addEventListener('unhandledrejection', (event) => judge(event.reason, String(event.reason)));
  addEventListener('error', (event) => {
    // A script that cannot be fetched reports to its element only, which the capturing phase sees.
    if (event instanceof ErrorEvent) judge(event.error, event.message);
    else if (event.target instanceof HTMLScriptElement) judge(null, 'A script did not load: ' + (event.target.src || 'the start of the page'));
  }, true);
})();
