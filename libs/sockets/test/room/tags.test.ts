import type { Config } from '@carillon/config';
import type { WireFormat } from '@carillon/protocol';
import { describe, expect, it } from 'vitest';
import { record } from '../samples.js';
import { ClientV2 } from './client-v2.js';
import { DeltaClient, ways } from './delta-client.js';
import { outcomeOf, RECOVERY, SUCCEEDED } from './resuming.js';
import { openRoom, type Room } from './room.js';

const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];
const FILTERING = { TAG_FILTERING_ENABLED: 'true' };
const withoutTags = (read: Config): Config => ({
  ...read,
  tag_filtering: { ...read.tag_filtering, enable_tags: false },
});
const OF_CHANNELS = {
  policy: { channels: { channel_delta_compression: { 'quiet-*': { enable_tags: false } } } },
};
const EU = { filter: { key: 'region', cmp: 'eq', val: 'eu' } };

const publish = (room: Room, channel: string, n = 0, region = 'eu'): unknown =>
  room.publish(channel, `${'x'.repeat(200)}${n}`, {
    messageId: `${channel} ${n}`,
    tagsText: JSON.stringify({ region }),
  });

/** The messages that came, with a star where their tags came too. */
async function got(client: ClientV2): Promise<readonly string[]> {
  const from = client.payloads.length - client.frames.length;
  const frames = await client.heard();
  return frames.flatMap(({ event, messageId }, at) =>
    event === 'news'
      ? `${messageId}${client.payloads[from + at]?.includes('region') === true ? ' *' : ''}`
      : [],
  );
}

async function joined(room: Room, channels: readonly string[], format: WireFormat = 'json', more = {}) {
  const client = await ClientV2.connect(room.port, format);
  for (const channel of channels) {
    client.subscribe(channel, more);
    await client.until(SUCCEEDED);
  }
  await client.heard();
  return client;
}

describe.each(FORMATS)('tags that are for filters alone, in %s', (format) => {
  it('choose messages of all channels and reach nobody', async () => {
    const room = await openRoom({ env: FILTERING, settings: withoutTags });
    const all = await joined(room, ['mkt'], format);
    const some = await joined(room, ['mkt'], format, EU);
    const wide = await joined(room, ['m*'], format, { filter: { expression: "tags.region == 'us'" } });
    publish(room, 'mkt', 1, 'eu');
    publish(room, 'mkt', 2, 'us');
    expect(await got(all)).toEqual(['mkt 1', 'mkt 2']);
    expect(await got(some)).toEqual(['mkt 1']);
    expect(await got(wide)).toEqual(['mkt 2']);
  });

  it('are those of the channels that the app says, by the channel and by patterns', async () => {
    const room = await openRoom({ ...OF_CHANNELS, env: FILTERING });
    const client = await joined(room, ['quiet-a', 'loud'], format);
    const wide = await joined(room, ['*'], format, EU);
    for (const channel of ['quiet-a', 'loud']) publish(room, channel);
    expect(await got(client)).toEqual(['quiet-a 0', 'loud 0 *']);
    expect(await got(wide)).toEqual(['quiet-a 0', 'loud 0 *']);
  });

  it('are not in what is shown again', async () => {
    const room = await openRoom({ ...OF_CHANNELS, env: { ...FILTERING, ...RECOVERY } });
    const first = await ClientV2.connect(room.port, format);
    first.subscribe('quiet-a');
    const { streamId } = await first.until(SUCCEEDED);
    for (const channel of ['quiet-a', 'cache-quiet', 'cache-loud']) publish(room, channel);
    const client = await joined(room, ['quiet-a'], format);
    client.send('service:resume', { channel_positions: { 'quiet-a': { stream_id: streamId, serial: 0 } } });
    const from = client.payloads.length;
    const success = await client.until('service:resume_success');
    expect(outcomeOf(client, success).recovered).toMatchObject([{ channel: 'quiet-a', replayed: 1 }]);
    expect(client.payloads.slice(from).some((payload) => payload.includes('region'))).toBe(false);
    await client.heard();
    room.hub.hubs.find('shop')?.update(await appWith(room, 'cache-quiet'));
    client.subscribe('cache-quiet');
    client.subscribe('cache-loud');
    expect(await got(client)).toEqual(['cache-quiet 0', 'cache-loud 0 *']);
  });
});

/** Changes the app of the room. */
async function appWith(room: Room, channel: string) {
  const app = await room.apps.findById('shop');
  if (app === null) throw new Error('no app');
  const channels = { channel_delta_compression: { [channel]: { enable_tags: false } } };
  return Object.assign(Object.create(Object.getPrototypeOf(app)) as typeof app, app, {
    record: record({ channels }),
  });
}

it('differences are to messages without tags where those are for filters alone', async () => {
  const room = await openRoom({ ...OF_CHANNELS, env: FILTERING });
  const client = await DeltaClient.connect(room.port);
  for (const channel of ['quiet-a', 'loud']) await client.subscribe(channel, { delta: true, ...EU });
  for (let n = 0; n < 3; n += 1) for (const channel of ['quiet-a', 'loud']) publish(room, channel, n);
  const messages = await client.messages();
  for (const channel of ['quiet-a', 'loud']) {
    const own = messages.filter((one) => one.channel === channel);
    expect(ways(own)).toEqual(['full 0', 'full 1', 'delta 2']);
    expect(own.every(({ text }) => text.includes('"tags"') === (channel === 'loud'))).toBe(true);
  }
});
