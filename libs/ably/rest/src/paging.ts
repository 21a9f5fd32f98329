import { CompatError, parseJson } from '@carillon/ably-core';
import type { Ask } from './exchange.js';

const DEFAULT_LIMIT = 100;
const DIRECTIONS: ReadonlyMap<string, 'newest_first' | 'oldest_first'> = new Map([
  ['backwards', 'newest_first'],
  ['newest_first', 'newest_first'],
  ['reverse', 'newest_first'],
  ['forwards', 'oldest_first'],
  ['forward', 'oldest_first'],
  ['oldest_first', 'oldest_first'],
]);

/** @throws CompatError 40003 when it is no length of a page. */
export function limitOf({ limit = String(DEFAULT_LIMIT) }: Ask['query'], max = Infinity): number {
  if (!/^[1-9]\d*$/.test(limit) || Number(limit) > max)
    throw new CompatError(
      40_003,
      max === Infinity ? 'limit must be at least 1' : `limit must be 1 to ${max}`,
    );
  return Number(limit);
}

/** @throws CompatError 40000 for an unknown direction */
export function directionOf(text: string): 'newest_first' | 'oldest_first' {
  const direction = DIRECTIONS.get(text);
  if (direction === undefined) throw new CompatError(40_000, 'direction is not known');
  return direction;
}

/** The link to another page of the same question, without any credential; null: to the first. */
export function linkTo({ request, query }: Ask, kept: readonly string[], cursor: string | null): string {
  const word = request.rawPath.split('/').findLast((one) => one !== '') ?? '';
  const parts = new URLSearchParams();
  for (const name of kept) if (query[name] !== undefined) parts.set(name, query[name]);
  if (cursor !== null) parts.set('cursor', cursor);
  return `./${word}?${parts.toString()}`;
}

/** Scope of a cursor: the route, the app and every parameter that selects the items. */
export type Question = readonly (string | undefined)[];

/** Returns the cursor of a page that begins at a position; valid for this question only. */
export const cursorOf = (question: Question, place: string): string =>
  Buffer.from(JSON.stringify([1, question, place])).toString('base64url');

/** @throws CompatError 40000 for a cursor of another question */
export function placeOf(question: Question, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const read = parseJson(Buffer.from(cursor, 'base64url').toString());
  const [version, asked, place]: readonly unknown[] = Array.isArray(read) ? read : [];
  if (version === 1 && typeof place === 'string' && JSON.stringify(asked) === JSON.stringify(question))
    return place;
  throw new CompatError(40_000, 'cursor is not valid here');
}
