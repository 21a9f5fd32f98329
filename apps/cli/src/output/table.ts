import { escapeText } from './escape.js';

/** A cell: null and undefined are shown as `-`. */
export type Cell = boolean | number | string | null | undefined;
export type Row = readonly Cell[];

const GAP = '  ';

const cellText = (cell: Cell): string =>
  cell === null || cell === undefined || cell === '' ? '-' : escapeText(String(cell));

/** Aligned columns under a header. `width`: lines are cut to it; null: never. */
export function tableLines(
  columns: readonly string[],
  rows: readonly Row[],
  width: number | null,
): readonly string[] {
  const cells = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(cellText))];
  const widths = columns.map((_, column) =>
    cells.reduce((most, row) => Math.max(most, (row[column] ?? '').length), 0),
  );
  return cells.map((row) => {
    const line = row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join(GAP);
    return width !== null && line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line;
  });
}
