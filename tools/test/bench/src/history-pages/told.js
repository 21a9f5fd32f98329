// What the walks come to.

/** What is promised: no page costs so many times the first. */
const MAX_OF_FIRST = 1.5;

/** @param {readonly number[]} values */
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** @typedef {Record<'first' | 'middle' | 'last' | 'worst' | 'ratio', number>} Costs */

/** @param {readonly number[]} values @param {readonly number[]} ofFirst how many times the first each is @returns {Costs} */
const costs = (values, ofFirst) => ({
  first: values[0] ?? 0,
  middle: values[Math.floor(values.length / 2)] ?? 0,
  last: values.at(-1) ?? 0,
  worst: Math.max(...values),
  ratio: Math.max(...ofFirst),
});

/** @param {readonly number[]} values */
const blocksOf = (values) =>
  costs(
    values,
    values.map((value) => value / (values[0] ?? 0)),
  );

/** Windows that are not whole are left out, unless there is no other. @param {import('./walk.js').Walk['windows']} all */
function msOf(all) {
  const windows = all.length > 1 ? all.slice(0, -1) : all;
  const pages = windows.map(({ pageMs }) => median(pageMs));
  return costs(
    pages,
    windows.map(({ firstMs }, index) => (pages[index] ?? 0) / median(firstMs)),
  );
}

/** @param {import('./walk.js').Walk} walk */
const summaryOf = ({ windows, blocks, pages, first, last }) => ({
  pages,
  from_serial: first,
  to_serial: last,
  blocks: blocksOf(blocks),
  ms: msOf(windows),
});

/**
 * Prints it and says whether it is as promised.
 * @param {Readonly<Record<string, import('./walk.js').Walk>>} walks
 * @param {{ written: number, purged: number }} meanwhile @param {boolean} json
 */
export function told(walks, meanwhile, json) {
  const summaries = Object.fromEntries(Object.entries(walks).map(([name, walk]) => [name, summaryOf(walk)]));
  if (json) process.stdout.write(`${JSON.stringify({ ...summaries, meanwhile }, null, 2)}\n`);
  else process.stdout.write(`${linesOf(summaries, meanwhile).join('\n')}\n`);
  return Object.values(summaries).every(
    ({ blocks, ms }) => blocks.ratio < MAX_OF_FIRST && ms.ratio < MAX_OF_FIRST,
  );
}

/** @param {string} name @param {readonly string[]} values */
const row = (name, values) => name.padEnd(34) + values.map((value) => value.padStart(10)).join('');

/** @param {Costs} costs @param {number} digits */
const cells = ({ first, middle, last, worst, ratio }, digits) => [
  ...[first, middle, last, worst].map((value) => value.toFixed(digits)),
  ratio.toFixed(2),
];

/**
 * @param {Readonly<Record<string, ReturnType<typeof summaryOf>>>} summaries
 * @param {{ written: number, purged: number }} meanwhile
 */
function linesOf(summaries, { written, purged }) {
  const lines = [row('', ['first', 'middle', 'last', 'worst', 'ratio'])];
  for (const [name, { pages, from_serial: from, to_serial: to, blocks, ms }] of Object.entries(summaries)) {
    lines.push(`${name}: ${pages} pages, serials ${from} to ${to}`);
    lines.push(row('  blocks of a page', cells(blocks, 0)));
    lines.push(row('  ms, medians of 100 pages', cells(ms, 2)));
  }
  return [
    ...lines,
    `meanwhile ${written} records were written and ${purged} purged`,
    `ratio: the worst to the first page; of ms, to the first page read again at that time; promised below ${MAX_OF_FIRST}`,
  ];
}
