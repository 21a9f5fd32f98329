import { describe, expect, it } from 'vitest';
import type { ChannelItem, ConnectionItem } from '../src/fleet/items.js';
import { combineChannels, distinctCount, mergeByKey, mergeConnections } from '../src/fleet/merge.js';

const connection = (node: string, sequence: number): ConnectionItem => ({
  socket_id: `${node}.${sequence}`,
  app_id: 'shop',
  node_id: node,
  protocol: 'v2',
  format: 'json',
  transport: 'websocket',
  user_id: null,
  address: null,
  client: null,
  connected_at_ms: 0,
  last_received_at_ms: null,
  subscription_count: 0,
  buffered_bytes: 0,
  received_messages: 0,
  sent_messages: 0,
});

/** A page of a node that has so many connections, from behind a sequence on. */
function page(node: string, count: number, after: number, limit: number) {
  const sequences = Array.from({ length: count }, (_, at) => at + 1).filter((one) => one > after);
  const shown = sequences.slice(0, limit);
  return {
    items: shown.map((sequence) => connection(node, sequence)),
    sequences: shown,
    more: sequences.length > limit,
  };
}

describe('mergeConnections', () => {
  it.each([1, 2, 3, 7, 100])('walk lists each connection once when pages have %i items', (limit) => {
    const counts: Readonly<Record<string, number>> = { 'gw-a': 5, 'gw-b': 0, 'gw-c': 9, 'gw-d': 1 };
    const seen: string[] = [];
    let position: { readonly node: string; readonly sequence: number } | null = null;
    for (let pages = 0; pages < 100; pages += 1) {
      const at: { readonly node: string; readonly sequence: number } | null = position;
      const all = Object.entries(counts).map(([node, count]) => {
        if (at !== null && node < at.node) return page(node, 0, 0, limit);
        return page(node, count, node === at?.node ? at.sequence : 0, limit);
      });
      const { items, more } = mergeConnections(all, limit);
      expect(items.length).toBeLessThanOrEqual(limit);
      seen.push(...items.map(({ item }) => item.socket_id));
      const last = items.at(-1);
      if (!more || last === undefined) break;
      position = { node: last.item.node_id, sequence: last.sequence };
    }
    const expected = Object.entries(counts).flatMap(([node, count]) =>
      Array.from({ length: count }, (_, at) => `${node}.${at + 1}`),
    );
    expect(seen).toEqual(expected);
  });
});

const channel = (name: string, count: number): ChannelItem => ({
  channel: name,
  type: 'public',
  subscription_count: count,
  user_count: null,
});

describe('mergeByKey', () => {
  it.each([1, 2, 3, 5, 50])(
    'walk lists each channel once with all subscriptions when pages have %i items',
    (limit) => {
      const names = Array.from({ length: 20 }, (_, at) => `c${String(at).padStart(2, '0')}`);
      const nodes = [2, 3, 5].map((step) => names.filter((_, at) => at % step === 0));
      const seen: ChannelItem[] = [];
      let after = '';
      for (let pages = 0; pages < 100; pages += 1) {
        const all = nodes.map((own) => {
          const later = own.filter((name) => name > after);
          return { items: later.slice(0, limit).map((name) => channel(name, 1)), more: later.length > limit };
        });
        const { items, more } = mergeByKey(all, limit, (item) => item.channel, combineChannels);
        expect(items.length).toBeLessThanOrEqual(limit);
        seen.push(...items);
        after = items.at(-1)?.channel ?? after;
        if (!more) break;
      }
      const counts = names.map((name) => nodes.filter((own) => own.includes(name)).length);
      expect(seen.map((item) => [item.channel, item.subscription_count])).toEqual(
        names.map((name, at) => [name, counts[at]]).filter(([, count]) => count !== 0),
      );
    },
  );

  it('takes the larger user count when several nodes know the channel', () => {
    const one = { ...channel('presence-a', 1), user_count: 2 };
    expect(combineChannels(one, { ...one, user_count: 3 })).toMatchObject({
      subscription_count: 2,
      user_count: 3,
    });
  });
});

const hashes = (...values: number[]): string => {
  const bytes = Buffer.alloc(values.length * 6);
  for (const [at, value] of values.entries()) bytes.writeUIntBE(value, at * 6, 6);
  return bytes.toString('base64');
};

describe('distinctCount', () => {
  it('counts a channel of several nodes once', () => {
    expect(distinctCount([hashes(1, 2, 3), hashes(3, 4), ''])).toBe(4);
  });

  it('is unknown when a node has too many channels', () => {
    expect(distinctCount([hashes(1), null])).toBeNull();
  });
});
