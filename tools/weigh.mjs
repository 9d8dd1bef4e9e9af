// What a first visit downloads, brotli-compressed, beside the smallest Yew page: `node tools/weigh.mjs DIST SMALLEST`.
//
// Scenarios and texts are content, not program. Their share is found in the finished Wasm module itself: each of their
// pieces is overwritten with zeros and the module compressed again, so nothing is built for measuring alone.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** Where the sentences in every language stand, and the language's page that *Help* shows. */
const TEXTS = [
  'src/words',
  'src/app/words',
  'src/app/mistake.rs',
  'src/language/diagnostics.rs',
  'src/language/grammar.md',
  'src/verdict/sentence.rs',
  'src/verdict/signature.rs',
  'src/verdict/why.rs',
];
/** Shorter pieces of a sentence could be anything. */
const PIECE_MIN = 6;

const [dist, smallest] = process.argv.slice(2);
if (!smallest) {
  console.error('usage: node tools/weigh.mjs DIST SMALLEST');
  process.exit(2);
}

function brotli(bytes) {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }).length;
}

/** The files that a path names, itself or below it. */
function files(path) {
  return statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => files(join(path, name))) : [path];
}

/** The fixed pieces of a file's texts: of Rust its string literals between their `{…}`, of other files all. */
function pieces(path) {
  const text = readFileSync(path, 'utf8');
  if (extname(path) !== '.rs') return [text];
  const literals = [...text.matchAll(/"((?:[^"\\]|\\[\s\S])*)"/g)].map(([, literal]) => literal);
  const read = (literal) => literal.replace(/\\\n\s*/g, '').replaceAll('\\n', '\n').replaceAll('\\"', '"');
  return literals.flatMap((literal) => read(literal).split(/\{[^{}]*\}/));
}

/** Overwrites each piece wherever it stands. Returns how many bytes that were. */
function blank(module, texts) {
  let blanked = 0;
  for (const text of texts.sort((one, other) => other.length - one.length)) {
    const piece = Buffer.from(text);
    if (piece.length < PIECE_MIN) continue;
    for (let at = module.indexOf(piece); at >= 0; at = module.indexOf(piece, at)) {
      module.fill(0, at, at + piece.length);
      blanked += piece.length;
    }
  }
  return blanked;
}

/** Sizes by kind of file. */
function weights(folder) {
  const found = { wasm: 0, js: 0, css: 0, sum: 0 };
  for (const name of readdirSync(folder)) {
    const kind = extname(name).slice(1);
    if (!(kind in found)) continue;
    const size = brotli(readFileSync(join(folder, name)));
    found[kind] += size;
    found.sum += size;
  }
  return found;
}

const kilo = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(9);
const [page, base] = [weights(dist), weights(smallest)];
const row = (name, bytes, note = '') => console.log(name.padEnd(36), kilo(bytes), note);

console.log('download, brotli');
row('smallest Yew page', base.sum);
row('page', page.sum, `Wasm ${kilo(page.wasm)}, scripts ${kilo(page.js)}, styles ${kilo(page.css)}`);

const module = readFileSync(join(dist, readdirSync(dist).find((name) => name.endsWith('.wasm'))));
const all = brotli(module);
const scenarios = blank(module, files('src/scenarios').filter((path) => path.endsWith('.crash')).flatMap(pieces));
const withoutScenarios = brotli(module);
const texts = blank(module, TEXTS.flatMap(files).flatMap(pieces));
const program = brotli(module);
row('  of it scenarios', all - withoutScenarios, `${scenarios} bytes before compression`);
row('  of it texts', withoutScenarios - program, `${texts} bytes before compression`);
const rest = page.sum - (all - program);
row('page without scenarios and texts', rest, `${(rest / base.sum).toFixed(1)} x the smallest page; aim: 4`);
