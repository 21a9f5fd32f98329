import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { docComments, brokenRule, hasPronoun } from './comments.js';
const files = execFileSync('git', ['ls-files', '*.ts', '*.js', '*.mjs', '*.tsx'], {
  encoding: 'utf8',
  cwd: new URL('../..', import.meta.url),
  maxBuffer: 1e8,
})
  .trim()
  .split('\n');
const per = new Map();
let total = 0,
  pron = 0,
  broken = 0;
for (const f of files) {
  const pkg =
    /^((?:apps|tools\/test|tools|libs\/(?:ably|api|core|history|ingest|platform|protocol|push|client)|libs)\/[^/]+)/.exec(
      f,
    )?.[1] ?? 'other';
  const e = per.get(pkg) ?? { n: 0, p: 0, b: 0, lines: 0 };
  per.set(pkg, e);
  const src = readFileSync(new URL('../../' + f, import.meta.url), 'utf8');
  e.lines += src.split('\n').length;
  for (const { text } of docComments(src)) {
    e.n++;
    total++;
    if (hasPronoun(text)) {
      e.p++;
      pron++;
    }
    if (brokenRule(text)) {
      e.b++;
      broken++;
    }
  }
}
for (const [k, e] of [...per].sort((a, b) => b[1].b - a[1].b))
  console.log(k.padEnd(32), e.n, 'pron', e.p, 'broken', e.b, 'lines', e.lines);
console.log(
  total,
  'pronoun',
  ((100 * pron) / total).toFixed(1),
  'broken',
  broken,
  ((100 * broken) / total).toFixed(1),
);
