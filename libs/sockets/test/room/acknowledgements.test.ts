import { frameError, type WireFormat } from '@carillon/protocol';
import { expect, describe, it } from 'vitest';
import type { Connection } from '../../src/connection/connection.js';
import { EventAnswers } from '../../src/requests/event-answers.js';
import { ClientV2 } from './client-v2.js';
import { openRoom, type Room, type RoomOptions } from './room.js';

const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];
const RECOVERY = { CONNECTION_RECOVERY_ENABLED: 'true' };
const CHANNEL = 'private-a';

async function open(
  options: RoomOptions = {},
  { format = 'json', query = '&acks=true' }: { format?: WireFormat; query?: string } = {},
): Promise<{ readonly room: Room; readonly client: ClientV2 }> {
  const room = await openRoom(options);
  const client = await ClientV2.connect(room.port, format, query);
  client.subscribe(CHANNEL);
  await client.until('service_internal:subscription_succeeded');
  return { room, client };
}

/** The data of the next acknowledgement. */
const nextAck = async (client: ClientV2): Promise<unknown> => client.value(await client.until('service:ack'));

describe.each(FORMATS)('acknowledgements in %s', (format) => {
  it('carry the position of the event, and that of the first one when the event is a duplicate', async () => {
    const { client } = await open({ env: RECOVERY }, { format });
    const [established] = client.frames;
    expect(JSON.parse(client.text(established ?? (await client.until('never'))))).toMatchObject({
      acks: true,
    });
    for (const messageId of ['a', 'b', 'a']) client.send('client-x', 1, { channel: CHANNEL, messageId });
    const acks = [await nextAck(client), await nextAck(client), await nextAck(client)];
    const about = { channel: CHANNEL, ok: true, stream_id: expect.any(String) as unknown };
    expect(acks).toEqual([
      { ...about, message_id: 'a', serial: 1 },
      { ...about, message_id: 'b', serial: 2 },
      { ...about, message_id: 'a', serial: 1 },
    ]);
  });

  it('replace the error frame when an event is refused', async () => {
    const { client } = await open({}, { format });
    client.send('client-x', 1, { channel: CHANNEL, messageId: 'a' });
    client.send('client-x', 2, { channel: CHANNEL, messageId: 'a' });
    client.send('client-x', 3, { channel: 'private-b', messageId: 'b' });
    client.send('client-x', 4, { messageId: 'c' });
    const heard = await client.heard();
    const acks = heard.filter(({ event }) => event === 'service:ack').map((frame) => client.value(frame));
    const refused = { ok: false, message: expect.any(String) as unknown };
    expect(acks).toHaveLength(4);
    expect(acks).toEqual(
      expect.arrayContaining([
        { message_id: 'a', channel: CHANNEL, ok: true },
        { message_id: 'a', channel: CHANNEL, code: 4000, ...refused },
        { message_id: 'b', channel: 'private-b', code: 4301, ...refused },
        { message_id: 'c', code: 4301, ...refused },
      ]),
    );
    expect(heard.filter(({ event }) => event === 'service:error')).toEqual([]);
  });
});

describe('acknowledgements', () => {
  it('omit the position when the event is ephemeral', async () => {
    const { client } = await open({ env: RECOVERY });
    client.send('client-x', 1, { channel: CHANNEL, messageId: 'a', extras: { ephemeral: true } });
    expect(await nextAck(client)).toEqual({ message_id: 'a', channel: CHANNEL, ok: true });
  });

  it('are sent when the client-event rate limit refuses an event', async () => {
    const { client } = await open({
      policy: { limits: { max_client_events_per_second: 1, decay_seconds: 3600 } },
    });
    for (const messageId of ['a', 'b']) client.send('client-x', 1, { channel: CHANNEL, messageId });
    expect(await nextAck(client)).toMatchObject({ message_id: 'a', ok: true });
    expect(await nextAck(client)).toMatchObject({ message_id: 'b', ok: false, code: 4301 });
  });

  it('are absent when the connection did not request them or the event has no message_id', async () => {
    const { client } = await open({}, { query: '' });
    client.send('client-x', 1, { channel: CHANNEL, messageId: 'a' });
    client.send('client-x', 2, { channel: CHANNEL, messageId: 'a' });
    expect(client.value(await client.until('service:error'))).toMatchObject({ code: 4000 });
    const { client: other } = await open();
    other.send('client-x', 1, { channel: CHANNEL });
    other.send('client-x', 1, { channel: 'private-b' });
    expect(other.value(await other.until('service:error'))).toMatchObject({ code: 4301 });
    const all = [...client.frames, ...other.frames];
    expect(all.filter(({ event }) => event === 'service:ack')).toEqual([]);
  });

  it('keep the order of the events of a channel when outcomes arrive in another order', () => {
    const sent: unknown[] = [];
    const answers = new EventAnswers({
      error: () => undefined,
      send: (_, fact) => sent.push('messageId' in fact ? fact.messageId : null),
    });
    const connection = { speech: { acks: true } } as unknown as Connection;
    const answerTo = (messageId: string, channel = CHANNEL) =>
      answers.of(connection, {
        kind: 'client-event',
        event: 'client-x',
        channel,
        messageId,
        dataText: null,
        extrasText: null,
      });
    const [first, second, third, other] = ['a', 'b', 'c', 'd'].map((id) =>
      answerTo(id, id === 'd' ? 'x' : CHANNEL),
    );
    third?.refuse(frameError('rate_limited', { channel: CHANNEL }));
    second?.accept({});
    expect(sent).toEqual([]);
    other?.accept({});
    first?.accept({});
    expect(sent).toEqual(['d', 'a', 'b', 'c']);
  });
});
