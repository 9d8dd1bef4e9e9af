// Finishes a release build: `node tools/finish.mjs dist` narrows the page's content security policy to exactly the
// scripts that are in it, then prints what a first visit downloads. Node comes with wasm-opt and is needed here only.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node tools/finish.mjs DIST');
  process.exit(2);
}

/** Allows the page's inline scripts by their hashes instead of all inline scripts, and no live reload. */
function narrowed(html) {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const hashes = inline.map(([, text]) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  const allowances = [
    ["'wasm-unsafe-eval' 'unsafe-inline'", ["'wasm-unsafe-eval'", ...hashes].join(' ')],
    ["connect-src 'self' ws:", "connect-src 'self'"],
  ];
  return allowances.reduce((text, [wide, narrow]) => {
    if (!text.includes(wide)) throw new Error(`index.html allows no "${wide}"; was this build finished already?`);
    return text.replace(wide, narrow);
  }, html);
}

function brotli(bytes) {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }).length;
}

const page = join(folder, 'index.html');
writeFileSync(page, narrowed(readFileSync(page, 'utf8')));

const sum = { raw: 0, brotli: 0 };
const row = (name, raw, packed) => console.log(name.padEnd(44), String(raw).padStart(9), String(packed).padStart(9));
row('file', 'bytes', 'brotli');
for (const name of readdirSync(folder).sort()) {
  if (!/\.(wasm|js|css)$/.test(name)) continue;
  const bytes = readFileSync(join(folder, name));
  const packed = brotli(bytes);
  sum.raw += bytes.length;
  sum.brotli += packed;
  row(name, bytes.length, packed);
}
row('Wasm, scripts and styles together', sum.raw, sum.brotli);
