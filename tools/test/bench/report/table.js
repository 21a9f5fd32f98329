const ABSENT = '–';

/** @param {number | null | undefined} value @param {number} digits */
const shown = (value, digits) => (typeof value === 'number' ? value.toFixed(digits) : ABSENT);

/** @param {{ least: number, most: number } | null} range */
const shownRange = (range) => (range === null ? '' : `${range.least.toFixed(2)} to ${range.most.toFixed(2)}`);

/**
 * The outcome for people: one line per row of the scenario that has a value, the ratio where it means something.
 * @param {import('../scenarios/metrics.js').Row[]} rows
 * @param {ReturnType<typeof import('./summary.js').summarise>} summary
 */
export function table(rows, summary) {
  const { scenario, settings, machine, target, floor, ratio, rounds, problems } = summary;
  const present = rows.filter(({ key }) => typeof target[key] === 'number' || typeof floor[key] === 'number');
  const lines = present.map(({ key, title, digits }) => [
    title,
    shown(target[key], digits),
    shown(floor[key], digits),
    key in ratio ? shown(ratio[key], 2) : '',
    rounds.length > 1 ? shownRange(summary.ratio_range[key] ?? null) : '',
  ]);
  const loop = settings.rate === 0 ? '' : `, ${settings.rate}/s`;
  const size = `${settings.connections} connections, ${settings.channels} channels${loop}`;
  return [
    `${scenario}: ${size}, ${settings.loadProcesses} load process(es)`,
    `${rounds.length} × ${settings.duration} s each, medians; ${machine.cores} cores, ${machine.cpu}`,
    '',
    ...aligned([['', 'target', 'floor', 'ratio', rounds.length > 1 ? 'per round' : ''], ...lines]),
    ...problems.map((problem) => `problem: ${problem}`),
    '',
  ].join('\n');
}

/** First column to the left, the others to the right. @param {string[][]} lines */
function aligned(lines) {
  const width = (/** @type {number} */ column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length));
  return lines.map((line) =>
    line
      .map((text, column) => (column === 0 ? text.padEnd(width(column)) : text.padStart(width(column) + 3)))
      .join('')
      .trimEnd(),
  );
}
