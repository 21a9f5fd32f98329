import { CompatError } from '@carillon/ably-core';

/** The range of a rewind. */
export interface Rewind {
  readonly count: number;
  /** Null: however old. */
  readonly sinceMs: number | null;
}

/** The limit of rewound messages, regardless of the request. */
const MOST = 100;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Returns the rewind requested by attach params, or null if none.
 *
 * @throws CompatError if it is neither a count nor a period.
 */
export function rewindOf(params: Readonly<Record<string, string>>): Rewind | null {
  const { rewind, rewindCount } = params;
  const count = rewindCount === undefined ? MOST : countOf(rewindCount);
  if (rewind === undefined) return rewindCount === undefined ? null : { count, sinceMs: null };
  const [, amount, unit = ''] = /^([1-9]\d{0,8})([smh])$/.exec(rewind) ?? [];
  if (amount === undefined) return { count: Math.min(count, countOf(rewind)), sinceMs: null };
  return { count, sinceMs: Number(amount) * (UNIT_MS[unit] ?? 0) };
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new CompatError(40_000, 'rewind must be a count or a period');
  return Math.min(MOST, Number(text));
}
