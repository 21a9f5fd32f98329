import type { ChannelItem, ConnectionItem, MemberItem } from './items.js';

const HASH_BYTES = 6;

/** A page of one node: its items and whether more follow. */
export interface NodePage<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

/** Merged items and whether more follow. */
export interface Merged<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

/** Items of connections with their accept sequences, by node. */
export interface ConnectionsPage extends NodePage<ConnectionItem> {
  readonly sequences: readonly number[];
}

/** A connection and its accept sequence on its node. */
export interface Placed {
  readonly item: ConnectionItem;
  readonly sequence: number;
}

/**
 * Merges pages of connections, given in ascending order of node ids. Nodes behind one that has more contribute nothing:
 * its rest comes before their items.
 */
export function mergeConnections(pages: readonly ConnectionsPage[], limit: number): Merged<Placed> {
  const items: Placed[] = [];
  for (const { items: own, sequences, more } of pages) {
    for (const [at, item] of own.entries()) {
      if (items.length === limit) return { items, more: true };
      items.push({ item, sequence: sequences[at] ?? 0 });
    }
    if (more) return { items, more: true };
  }
  return { items, more: false };
}

/**
 * Merges pages that are ordered by a key and may hold the same key. Beyond the last key of a page with more its node may
 * have further items, so the merged page ends there.
 */
export function mergeByKey<Item>(
  pages: readonly NodePage<Item>[],
  limit: number,
  keyOf: (item: Item) => string,
  combine: (one: Item, other: Item) => Item,
): Merged<Item> {
  const ends = pages.flatMap(({ items, more }) => {
    const last = items.at(-1);
    return more && last !== undefined ? [keyOf(last)] : [];
  });
  const end = ends.toSorted()[0];
  const merged = new Map<string, Item>();
  for (const { items } of pages) {
    for (const item of items) {
      const key = keyOf(item);
      if (end !== undefined && key > end) continue;
      const known = merged.get(key);
      merged.set(key, known === undefined ? item : combine(known, item));
    }
  }
  const sorted = [...merged.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const isCut = pages.some(
    ({ items, more }) => more || items.some((item) => end !== undefined && keyOf(item) > end),
  );
  return { items: sorted.slice(0, limit).map(([, item]) => item), more: sorted.length > limit || isCut };
}

/** Subscriptions are of one node each; users are counted by the shared store. */
export const combineChannels = (one: ChannelItem, other: ChannelItem): ChannelItem => ({
  ...one,
  subscription_count: one.subscription_count + other.subscription_count,
  user_count: one.user_count === null ? other.user_count : Math.max(one.user_count, other.user_count ?? 0),
});

export const combineMembers = (one: MemberItem, other: MemberItem): MemberItem => ({
  ...one,
  connections: one.connections + other.connections,
});

/** Number of distinct channels by the hashes of all nodes; null if some node had too many. */
export function distinctCount(hashes: readonly (string | null | undefined)[]): number | null {
  const distinct = new Set<number>();
  for (const text of hashes) {
    if (text === null || text === undefined) return null;
    const bytes = Buffer.from(text, 'base64');
    for (let at = 0; at + HASH_BYTES <= bytes.length; at += HASH_BYTES)
      distinct.add(bytes.readUIntBE(at, HASH_BYTES));
  }
  return distinct.size;
}
