import { createHash } from 'node:crypto';
import { invalidField } from './fields.js';
import { integer, text } from './schema.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const MAX_CURSOR_BYTES = 4096;

/** Parameters of every list. */
export const PAGE_QUERY = {
  limit: { ...integer('Items of the page', 1, MAX_LIMIT), default: DEFAULT_LIMIT },
  cursor: text('Position after the previous page: `next_cursor` of it', { maxLength: MAX_CURSOR_BYTES }),
} as const;

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** The body of every list. */
export interface PageBody<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** `next` is the position after the last item; null after the last page. */
export function pageBody<Item>(items: readonly Item[], next: unknown, cursors: Cursors): PageBody<Item> {
  return {
    items,
    next_cursor: next === null ? null : cursors.write(next),
    has_more: next !== null,
  };
}

/** Cursors of one list: bound to its route and filters, so that a cursor of another walk is refused. */
export class Cursors {
  readonly #bound: string;

  /** `filters`: all parameters besides `limit` and `cursor`. */
  constructor(route: string, filters: Readonly<Record<string, unknown>>) {
    const { limit: _limit, cursor: _cursor, ...rest } = filters;
    const entries = Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1));
    this.#bound = createHash('sha256')
      .update(JSON.stringify([route, entries]))
      .digest('base64url')
      .slice(0, 12);
  }

  write(position: unknown): string {
    return Buffer.from(JSON.stringify([this.#bound, position])).toString('base64url');
  }

  /**
   * Returns the position; null without a cursor. Its shape is unchecked: the client may have made it up.
   *
   * @throws ServiceError `invalid_input` if it is malformed or belongs to another route or filter.
   */
  read(cursor: string | undefined): unknown {
    if (cursor === undefined) return null;
    try {
      const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
      if (Array.isArray(parsed) && parsed.length === 2 && parsed[0] === this.#bound) return parsed[1];
    } catch {
      // Refused below, like a cursor of another list.
    }
    throw invalidField('cursor', 'is not a cursor of this list and these filters');
  }

  /** As `read`, for lists whose position is a text. */
  readText(cursor: string | undefined): string | null {
    const position = this.read(cursor);
    if (position === null || typeof position === 'string') return position;
    throw invalidField('cursor', 'is not a cursor of this list and these filters');
  }
}
