import { isObject, type JsonObject } from '@carillon/ably-core';
import type { PushRouteName } from '@carillon/push-core';
import type { Ask, Reply } from '../exchange.js';
import { cursorOf, limitOf, linkTo, placeOf } from '../paging.js';
import type { PushCaller } from './caller.js';

const MAX_LIMIT = 1000;

export const NO_CONTENT: Reply = { status: 204, body: undefined };

/** A list of push and its conversion. */
export interface Listing {
  readonly name: PushRouteName;
  /** Parameters of the query that choose; given empty, one is as good as not given. */
  readonly filters: readonly string[];
  /** Instead of the parameters themselves; null: nothing fits them. */
  readonly asked?: Readonly<Record<string, string | undefined>> | null;
  readonly shape: (item: JsonObject) => unknown;
}

/** A page of a list of push, with its links. */
export async function page(ask: Ask, caller: PushCaller, listing: Listing): Promise<Reply> {
  const { name, filters, shape } = listing;
  const limit = limitOf(ask.query, MAX_LIMIT);
  const { asked = Object.fromEntries(filters.map((one) => [one, ask.query[one] || undefined])) } = listing;
  const about = [name, caller.app.id, ...Object.entries(asked ?? {}).flat()];
  const cursor = placeOf(about, ask.query['cursor']);
  const options: Readonly<Record<string, string | undefined>> = { ...asked, limit: String(limit), cursor };
  const done = asked === null ? {} : await caller.admin(name, { option: (one) => options[one] });
  const { items, next_cursor: next } = isObject(done.value) ? done.value : {};
  const body = (Array.isArray(items) ? items : []).map((item: unknown) =>
    shape(isObject(item) ? item : { item }),
  );
  const kept = [...filters, 'limit', 'format'];
  const links = {
    first: linkTo(ask, kept, null),
    ...(typeof next === 'string' ? { next: linkTo(ask, kept, cursorOf(about, next)) } : {}),
  };
  return { status: 200, body, links };
}
