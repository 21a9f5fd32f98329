import { isJsonObject, type JsonObject } from '@carillon/api-operations';
import type { ListMember, Tool } from './tool.js';

/** A call that may be repeated with a smaller page. */
export interface PagedCall {
  readonly tool: Pick<Tool, 'input' | 'list'>;
  readonly given: JsonObject;
  readonly run: (given: JsonObject) => Promise<unknown>;
}

/** Members of results that hold the items of a page. */
const ITEMS = ['items', 'apps'];

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * Runs a call so that its result fits into `maxBytes` of JSON where possible: a page that is too large is read again
 * with a smaller page size, and a complete list is truncated with a `next_cursor`. A page has at least one item.
 * Results over `mostBytes` are returned unchanged: the caller refuses them.
 */
export async function paged(call: PagedCall, maxBytes: number, mostBytes: number): Promise<unknown> {
  const { tool, given, run } = call;
  const value = await run(given);
  if (!isJsonObject(value)) return value;
  if (tool.list !== undefined) return pageOfList(value, tool.list, given['cursor'], maxBytes);
  const bytes = bytesOf(value);
  const takesLimit = Object.hasOwn(tool.input['properties'] ?? {}, 'limit');
  if (!takesLimit || bytes <= maxBytes || bytes > mostBytes) return value;
  const items = ITEMS.map((name) => value[name]).find(Array.isArray) as readonly unknown[] | undefined;
  if (items === undefined || items.length < 2) return value;
  const room = maxBytes - (bytes - items.reduce<number>((sum, item) => sum + bytesOf(item) + 1, 0));
  return run({ ...given, limit: Math.max(1, fitting(items, room)) });
}

/** Number of leading items that fit. */
function fitting(items: readonly unknown[], room: number): number {
  let left = room;
  const over = items.findIndex((item) => {
    left -= bytesOf(item) + 1;
    return left < 0;
  });
  return over === -1 ? items.length : over;
}

/** The entries after the cursor in the order of their names, as many as fit; the whole list has no `next_cursor`. */
function pageOfList(
  value: JsonObject,
  { member, name }: ListMember,
  cursor: unknown,
  maxBytes: number,
): JsonObject {
  const bytes = bytesOf(value);
  const after = typeof cursor === 'string' ? cursor : null;
  if (after === null && bytes <= maxBytes) return value;
  const whole = value[member];
  const rest = namedEntries(whole, name)
    .filter(([key]) => after === null || key > after)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const room = maxBytes - (bytes - bytesOf(whole)) - bytesOf({ next_cursor: rest.at(-1)?.[0] ?? null });
  const counted = name === undefined ? rest.map((entry) => Object.fromEntries([entry])) : rest.map(second);
  const page = rest.slice(0, Math.max(1, fitting(counted, room)));
  return {
    ...value,
    [member]: name === undefined ? Object.fromEntries(page) : page.map(second),
    next_cursor: page.length < rest.length ? (page.at(-1)?.[0] ?? null) : null,
  };
}

const second = ([, entry]: readonly [string, unknown]): unknown => entry;

function namedEntries(whole: unknown, name: string | undefined): [string, unknown][] {
  if (name === undefined) return isJsonObject(whole) ? Object.entries(whole) : [];
  const entries: readonly unknown[] = Array.isArray(whole) ? whole : [];
  return entries.map((entry) => [isJsonObject(entry) ? String(entry[name]) : '', entry]);
}
