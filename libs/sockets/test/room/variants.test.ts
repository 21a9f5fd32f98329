import type { WireFormat } from '@carillon/protocol';
import { afterEach, expect, it, vi } from 'vitest';
import { V1 } from '../../src/v1/codec.js';
import { CodecV2 } from '../../src/v2/codec.js';
import { DeltaCohort } from '../../src/v2/delta/delta-cohort.js';
import { DeltaMeters } from '@carillon/realtime';
import { ClientV2 } from './client-v2.js';
import { DeltaClient } from './delta-client.js';
import { openRoom } from './room.js';

const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];
const EACH = 3;
const EVENTS = 8;
const PADDING = 'x'.repeat(300);
const FILTER = { filter: { key: 'region', cmp: 'eq', val: 'eu' } };
const OF_V1 = new Set(['event', 'channel', 'data']);

afterEach(() => void vi.restoreAllMocks());

it('makes each variant of an event once, however many have it, and protocol 1 sees nothing of the others', async () => {
  const room = await openRoom({ env: { TAG_FILTERING_ENABLED: 'true' } });
  const old = await room.connect();
  old.subscribe('mkt');
  await old.until('pusher_internal:subscription_succeeded');
  const readers: (ClientV2 | DeltaClient)[] = [];
  for (let n = 0; n < EACH; n += 1) {
    for (const format of FORMATS) {
      // By channel and by pattern, with each mode of appends.
      for (const [channel, more, query] of [
        ['mkt', {}, ''],
        ['mkt', FILTER, ''],
        ['mkt', {}, '&append_mode=full'],
        ['mk*', {}, ''],
        ['mk*', FILTER, '&append_mode=full&append_rollup_window=500'],
      ] as const) {
        const client = await ClientV2.connect(room.port, format, query);
        client.subscribe(channel, more);
        await client.until('service_internal:subscription_succeeded');
        readers.push(client);
      }
    }
    for (const delta of ['fossil', 'xdelta3']) {
      for (const more of [{}, FILTER]) {
        const client = await DeltaClient.connect(room.port);
        await client.subscribe('mkt', { delta, ...more });
        readers.push(client);
      }
    }
  }
  const spies = {
    v1: vi.spyOn(V1, 'encode'),
    v2: vi.spyOn(CodecV2.prototype, 'frame'),
    cohorts: vi.spyOn(DeltaCohort.prototype, 'encode'),
    differences: vi.spyOn(DeltaMeters.prototype, 'encoded'),
  };
  for (let n = 0; n < EVENTS; n += 1) {
    room.publish('mkt', `${PADDING}${n}`, {
      tagsText: JSON.stringify({ region: 'eu' }),
      extrasText: '{"headers":{"a":1}}',
    });
  }
  expect(spies.v1).toHaveBeenCalledTimes(EVENTS);
  // One a format; filters and differences share the text of JSON.
  expect(spies.v2).toHaveBeenCalledTimes(EVENTS * FORMATS.length);
  // Two algorithms, filtered and not.
  expect(spies.cohorts).toHaveBeenCalledTimes(EVENTS * 4);
  // Filtered or not, the base is the same, and the first two messages are full.
  expect(spies.differences).toHaveBeenCalledTimes((EVENTS - 2) * 2);
  const told = (await old.heard()).filter(({ event }) => event === 'news');
  expect(told).toHaveLength(EVENTS);
  for (const frame of told) expect(Object.keys(frame).filter((name) => !OF_V1.has(name))).toEqual([]);
  for (const reader of readers) {
    const got =
      reader instanceof DeltaClient
        ? await reader.messages()
        : (await reader.heard()).filter(({ event }) => event === 'news');
    expect(got).toHaveLength(EVENTS);
  }
});
