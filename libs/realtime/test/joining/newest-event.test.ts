import { newStream, type StoredRecord, streamName } from '@carillon/history-store';
import { expect, it } from 'vitest';
import type { LocalChannel } from '../../src/channels/local-channel.js';
import { NewestEvents } from '../../src/joining/newest-event.js';
import type { StreamReads } from '../../src/durable/stream-reads.js';
import { message } from '../samples.js';

const ADDRESS = { appId: 'shop', channel: 'cache-a', kind: 'messages' } as const;
const LIFE_MS = 60_000;

interface World {
  /** Serial of the cached copy; null: none exists. Undefined: it cannot be read. */
  readonly kept?: number | null;
  readonly keptStream?: string;
  /** Head of the stream, and its newest record that is a last event. */
  readonly head?: number;
  readonly newest?: number;
  readonly ageMs?: number;
  readonly isPurged?: boolean;
  readonly isAway?: boolean;
  readonly isForgetful?: boolean;
}

/** Returns the data of the shown event and the number of store reads. */
async function shown({
  kept,
  keptStream = 's',
  head = 5,
  newest = 5,
  ageMs = 0,
  isPurged = false,
  isAway = false,
  isForgetful = false,
}: World): Promise<readonly [data: string | null | undefined, asked: number]> {
  let asked = 0;
  const reads = {
    heads: async () => {
      asked += 1;
      if (isAway) throw new Error('away');
      const stream = { ...newStream(ADDRESS, 'k', 's', 16), lastCacheSerial: newest };
      return new Map([[streamName(ADDRESS), stream]]);
    },
    range: async ({ fromSerial }: { fromSerial: number }) => [
      {
        deliverySerial: fromSerial,
        publishedAtMs: Date.now() - ageMs,
        action: 'plain',
        payload: isPurged ? null : `{"event":"e","channel":"cache-a","data":"stored ${fromSerial}"}`,
      } as StoredRecord,
    ],
  } as unknown as StreamReads;
  const events = new NewestEvents({
    lastEvents: {
      read: async () => {
        if (kept === undefined) throw new Error('away');
        if (kept === null) return null;
        return { ...message({ streamId: keptStream, serial: kept, dataText: '"kept"' }), ttlMs: 1 };
      },
    },
    positions: { standing: async () => ({ streamId: 's', serial: head, historySerial: head }) },
    reads,
    lifeMs: LIFE_MS,
    onTrouble: () => undefined,
  });
  const policy = { history: { enabled: !isForgetful } };
  const channel = { hub: { appId: 'shop' }, name: 'cache-a', about: { policy } } as unknown as LocalChannel;
  return [(await events.read(channel))?.dataText, asked];
}

it.each<readonly [string, World, string | undefined, number]>([
  ['the copy, where the stream has nothing newer', { kept: 5 }, '"kept"', 0],
  ['the copy, where what is newer is no last event', { kept: 3, newest: 3 }, '"kept"', 1],
  ['what the stream has, where the copy is older', { kept: 3 }, '"stored 5"', 1],
  ['what the stream has, where there is no copy', { kept: null, newest: 4 }, '"stored 4"', 1],
  [
    'what the stream has, where the copy is of another stream',
    { kept: 9, keptStream: 'old' },
    '"stored 5"',
    1,
  ],
  ['what the stream has, where the copy cannot be read', {}, '"stored 5"', 1],
  ['the copy, where the stream has none yet', { kept: 9, keptStream: 'old', newest: 0 }, '"kept"', 1],
  ['the copy, where the stream cannot be read', { kept: 3, isAway: true }, '"kept"', 1],
  ['nothing that is too old', { kept: null, ageMs: LIFE_MS }, undefined, 1],
  ['nothing that was purged', { kept: 3, isPurged: true }, undefined, 1],
  ['the copy, where nothing else is kept', { kept: 3, isForgetful: true }, '"kept"', 0],
])('the last event of a channel is %s', async (_title, world, data, asked) => {
  expect(await shown(world)).toEqual([data, asked]);
});
