import { BaseBudget } from '@carillon/delta';
import type { WireFormat } from '@carillon/protocol';
import { LoopShare } from '@carillon/runtime';
import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { ClientV2 } from './client-v2.js';
import { DeltaClient } from './delta-client.js';
import { SUCCEEDED } from './resuming.js';
import { eventually, openRoom, type Room } from './room.js';

const PADDING = 'x'.repeat(380);
const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];
const GROUPED = {
  policy: { channels: { channel_delta_compression: { grouped: { conflation_key: 'asset' } } } },
};
/** Filters by the number of a message. */
const FILTERS = [
  { expression: "tags.odd == 'yes'", accepts: (n: number) => n % 2 === 1 },
  { expression: "tags.third != 'yes'", accepts: (n: number) => n % 3 !== 0 },
];

/** One subscriber of a channel, which receives messages as they are, or deltas that it decodes. */
interface Reader {
  readonly channel: string;
  subscribe(filter: number): Promise<void>;
  unsubscribe(): Promise<void>;
  /** Renews the subscription with deltas. */
  renew(): void;
  /** Collects received messages and returns the ids of all so far. */
  got(): Promise<readonly string[]>;
}

async function deltaReader(room: Room, channel: string, algorithm: string): Promise<Reader> {
  const client = await DeltaClient.connect(room.port);
  const ids: string[] = [];
  const got = async (): Promise<readonly string[]> => {
    for (const { text } of await client.messages())
      ids.push((JSON.parse(text) as { message_id: string }).message_id);
    return ids;
  };
  return {
    channel,
    subscribe: (filter) =>
      client.subscribe(channel, { delta: algorithm, filter: { expression: FILTERS[filter]?.expression } }),
    unsubscribe: async () => {
      client.send('service:unsubscribe', { channel });
      await got();
    },
    renew: () => client.send('service:delta_sync_error', { channel }, channel),
    got,
  };
}

async function plainReader(room: Room, channel: string, format: WireFormat): Promise<Reader> {
  const client = await ClientV2.connect(room.port, format);
  const ids: string[] = [];
  const got = async (): Promise<readonly string[]> => {
    for (const { event, messageId } of await client.heard())
      if (event === 'news') ids.push(String(messageId));
    return ids;
  };
  return {
    channel,
    subscribe: async (filter) => {
      await got();
      client.subscribe(channel, { filter: { expression: FILTERS[filter]?.expression } });
      await client.until(SUCCEEDED);
    },
    unsubscribe: async () => {
      client.send('service:unsubscribe', { channel });
      await got();
    },
    renew: () => undefined,
    got,
  };
}

function publish(room: Room, n: number): void {
  const tags = { odd: n % 2 === 1 ? 'yes' : 'no', third: n % 3 === 0 ? 'yes' : 'no' };
  for (const channel of ['mkt', 'grouped'])
    room.publish(channel, JSON.stringify({ asset: `a${n % 4}`, padding: `${PADDING}${n}` }), {
      messageId: `m${n}`,
      tagsText: JSON.stringify(tags),
    });
}

const step = fc.record({
  kind: fc.constantFrom('join', 'join', 'leave', 'publish', 'publish', 'publish', 'renew'),
  at: fc.nat({ max: 8 }),
  filter: fc.nat({ max: FILTERS.length - 1 }),
});

it('every delta stream equals the plain one, and no base is left, when all filters wait for their share', async () => {
  const used = vi.spyOn(BaseBudget.prototype, 'used');
  vi.spyOn(LoopShare.prototype, 'isSpent', 'get').mockReturnValue(true);
  const room = await openRoom({ ...GROUPED, env: { TAG_FILTERING_ENABLED: 'true' } });
  const readers = await Promise.all([
    ...['mkt', 'grouped'].flatMap((channel) =>
      ['fossil', 'fossil', 'xdelta3'].map((algorithm) => deltaReader(room, channel, algorithm)),
    ),
    ...FORMATS.map((format) => plainReader(room, 'mkt', format)),
  ]);
  let numbers = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
      const states = await Promise.all(
        readers.map(async (reader) => ({
          reader,
          before: (await reader.got()).length,
          filter: null as number | null,
          expected: [] as string[],
        })),
      );
      for (const { kind, at, filter } of steps) {
        const state = states[at];
        if (state === undefined) continue;
        const { reader, before } = state;
        if (kind === 'publish') {
          numbers += 1;
          publish(room, numbers);
          for (const { filter: own, expected } of states)
            if (own !== null && FILTERS[own]?.accepts(numbers) === true) expected.push(`m${numbers}`);
        } else if (kind === 'join' && state.filter !== filter) {
          await reader.subscribe(filter);
          state.filter = filter;
        } else if (kind === 'leave' && state.filter !== null) {
          await reader.unsubscribe();
          // Messages that wait for a filter are not sent after the subscriber left.
          const got = (await reader.got()).slice(before);
          expect(state.expected.slice(0, got.length)).toEqual(got);
          Object.assign(state, { filter: null, expected: [...got] });
        } else if (kind === 'renew' && state.filter !== null) reader.renew();
      }
      for (const { reader, before, expected } of states) {
        await eventually(async () => (await reader.got()).length >= before + expected.length);
        expect((await reader.got()).slice(before)).toEqual(expected);
        await reader.unsubscribe();
      }
    }),
    { numRuns: 25, endOnFailure: true },
  );
  expect(await room.metric('delta_compression_delta_messages_total')).toBeGreaterThan(0);
  const budgets = new Set(used.mock.contexts as BaseBudget[]);
  expect([budgets.size, ...[...budgets].map(({ total }) => total)]).toEqual([1, 0]);
  expect(room.faults).toEqual([]);
});
