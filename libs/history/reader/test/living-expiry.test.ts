import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, LivingChannel } from './living.js';
import { openMemory, openMysql, openRecords, openPostgres, type Opened } from './stores.js';

const STORES = [
  { name: 'memory', open: openMemory },
  { name: 'records', open: openRecords },
  { name: 'postgres', open: openPostgres },
  { name: 'mariadb', open: openMysql },
] as const;

const AI = {
  max_accumulated_message_bytes: 1000,
  max_appends_per_message: 100,
  max_open_streaming_messages: 2,
} as const;
const STREAMING = { extras: { ai: { transport: { status: 'streaming' } } } };

describe.each(STORES)('streams that are over before anybody has ended them, in $name', ({ open }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(() => opened.close());

  it('go like other messages, and make room for new ones', async () => {
    const channel = new LivingChannel(opened.store, 'over');
    channel.policy = { ...channel.policy, versions_ms: HOUR_MS, ai: AI };
    await channel.made('a', STREAMING);
    channel.nowMs += HOUR_MS / 2;
    const later = await channel.made('b', STREAMING);
    expect(await channel.one(channel.create('c', STREAMING))).toMatchObject({ code: 'payload_too_large' });
    channel.nowMs += HOUR_MS / 2;
    const { nowMs } = channel;
    const request = { nowMs, batch: 100, receiptsKeptMs: 600_000, windowMs: HOUR_MS };
    for (let more = true; more;) more = (await opened.store.purge(request))?.more ?? true;
    expect(await channel.stream()).toMatchObject({ openStreams: 1 });
    const idle = await opened.store.idleStreams({ lane: 0, lanes: 1, idleSinceMs: nowMs, limit: 10 });
    expect(idle.map(({ message }) => message.messageSerial)).toEqual([later]);
    expect(await channel.one(channel.create('c', STREAMING))).toMatchObject({ status: 'applied' });
  });
});
