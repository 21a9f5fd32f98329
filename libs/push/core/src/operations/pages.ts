import { isStorable } from '@carillon/contracts';
import { isObject } from '@carillon/push-providers';
import { invalid } from '../fields.js';
import type { PushAsk } from './ask.js';

const MAX_ITEMS = 1000;
const CURSOR_BYTES = 2048;

type Position = readonly (string | number)[];

/** Limit and cursor of a list request. */
export interface Page {
  readonly limit: number;
  /** Null: from the beginning. */
  readonly after: Position | null;
}

export function pageOf(ask: PushAsk, kind: string, columns: number): Page {
  const text = ask.parameter('limit') ?? '100';
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_ITEMS) throw invalid('limit must be between 1 and 1000');
  const cursor = ask.parameter('cursor');
  return { limit, after: cursor === undefined ? null : positionOf(cursor, ask.appId, kind, columns) };
}

function positionOf(cursor: string, appId: string, kind: string, columns: number): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  let read: unknown = null;
  try {
    read = bytes.length <= CURSOR_BYTES ? JSON.parse(bytes.toString('utf8')) : null;
  } catch {
    read = null;
  }
  if (!isObject(read)) throw invalid('the cursor is not valid');
  const { appId: ofApp, kind: ofKind, position } = read;
  const isPosition =
    Array.isArray(position) &&
    position.length === columns &&
    position.every((one) => (typeof one === 'string' ? isStorable(one) : typeof one === 'number'));
  if (ofApp !== appId || ofKind !== kind || !isPosition) throw invalid('the cursor is not valid');
  return position;
}

/** Metadata of a list. */
export interface Listing<Row> {
  readonly kind: string;
  readonly shape: (row: Row) => unknown;
  readonly positionOf: (row: Row) => Position;
}

/** A page of a list, of which one more than `limit` was read. */
export function listed<Row>(
  { appId }: PushAsk,
  rows: readonly Row[],
  limit: number,
  { kind, shape, positionOf: position }: Listing<Row>,
) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  const cursor = (row: Row): string =>
    Buffer.from(JSON.stringify({ appId, kind, position: position(row), issuedAtMs: Date.now() })).toString(
      'base64url',
    );
  return {
    value: { items: items.map(shape), next_cursor: more ? cursor(last) : null, has_more: more },
  };
}

/** A column of a position; null: from the beginning. */
export const textAt = (position: Position | null, index = 0): string | null =>
  position === null ? null : String(position[index]);
