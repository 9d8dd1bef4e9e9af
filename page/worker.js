// The worker that searches: the page's own program, started without a page, so that a long search never holds the page up.
// The page says in the query which two files of its build these are; both lie beside this one.
const wanted = new URLSearchParams(location.search);

const beside = (name) => {
  const file = wanted.get(name);
  if (!/^[\w.-]+$/.test(file || '')) throw new Error(`no file for "${name}"`);
  return new URL(file, location.href).href;
};

const start = async () => {
  const program = await import(beside('module'));
  await program.default({ module_or_path: beside('wasm') });
};

start().catch((error) => postMessage(['failed', String(error)]));
