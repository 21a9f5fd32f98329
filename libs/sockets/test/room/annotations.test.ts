import type { ChannelFact, WireFormat } from '@carillon/protocol';
import { expect, it } from 'vitest';
import { record } from '../samples.js';
import { ClientV2, token } from './client-v2.js';
import { openRoom, type Room } from './room.js';

const ON = { HISTORY_ENABLED: 'true', VERSIONED_MESSAGES_ENABLED: 'true', ANNOTATIONS_ENABLED: 'true' };
const APP = record({ channels: { annotations_enabled: true } });
const SUMMARY = '{"reactions:total.v1":{"total":2}}';
const ANNOTATION =
  '{"action":"annotation.create","serial":"a:1","messageSerial":"m:1","type":"reactions:total.v1"}';

function tell(room: Room, ...facts: ChannelFact[]): void {
  const channel = room.hub.hubs.find('shop')?.channels.get('chat');
  for (const fact of facts) channel?.deliver(fact);
}

it.each<WireFormat>(['json', 'messagepack', 'protobuf'])('annotations are told in %s', async (format) => {
  const room = await openRoom({ env: ON, apps: [APP] });
  const old = await room.connect();
  old.subscribe('chat');
  const plain = await ClientV2.connect(room.port, format);
  plain.subscribe('chat');
  await plain.until('service_internal:subscription_succeeded');
  const grants = { chat: ['subscribe', 'annotation-subscribe'] };
  const each = await ClientV2.connect(room.port, format, `&token=${token('u', grants)}`);
  const filter = { events: ['nothing'] };
  each.subscribe('chat', { modes: ['ANNOTATION_SUBSCRIBE'], filter });
  await each.until('service_internal:subscription_succeeded');
  await Promise.all([plain.heard(), each.heard()]);
  tell(
    room,
    { kind: 'annotations_summarized', channel: 'chat', messageSerial: 'm:1', summaryText: SUMMARY },
    { kind: 'annotated', channel: 'chat', annotationText: ANNOTATION },
  );
  const summary = {
    event: 'service_internal:message',
    channel: 'chat',
    data: {
      value: { action: 'message.summary', serial: 'm:1', annotations: { summary: JSON.parse(SUMMARY) } },
    },
    extrasText: '{"ephemeral":true}',
  };
  expect(await plain.heard()).toMatchObject([summary]);
  expect(await each.heard()).toMatchObject([
    summary,
    { event: 'service_internal:annotation', data: { value: JSON.parse(ANNOTATION) } },
  ]);
  expect((await old.heard()).map(({ event }) => event)).toEqual(['pusher_internal:subscription_succeeded']);
});

it('a token that does not let one see every annotation any more ends such a subscription', async () => {
  const room = await openRoom({ env: ON, apps: [APP] });
  const grants = ['subscribe', 'annotation-subscribe'];
  const client = await ClientV2.connect(room.port, 'json', `&token=${token('u', { '*': grants })}`);
  client.subscribe('chat', { modes: ['ANNOTATION_SUBSCRIBE'] });
  client.subscribe('talk');
  for (const _ of [1, 2]) await client.until('service_internal:subscription_succeeded');
  client.send('service:auth', { token: token('u', { '*': ['subscribe'] }, { jti: 't-2' }) });
  const failed = await client.until('service:subscription_error');
  expect([failed.channel, client.value(failed)]).toMatchObject(['chat', { status: 403 }]);
  expect(await room.counts()).toEqual({ talk: 1 });
});
