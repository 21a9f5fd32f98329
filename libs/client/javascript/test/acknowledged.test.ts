import { describe, expect, it } from 'vitest';
import { CarillonError, type Receipt, type Sending } from '../src/index.js';
import { settled, subscribed, World } from './harness/world.js';

const CHANNEL = 'private-room';

async function open({ acks = true, ...options }: { acks?: boolean; maxQueued?: number } = {}) {
  const world = new World(options);
  await world.connect({ acks });
  const channel = world.client.subscribe(CHANNEL);
  await settled();
  world.socket.says(subscribed(CHANNEL));
  world.socket.taken();
  return { world, channel };
}

const acknowledge = (world: World, id: string, more: object = { ok: true }): void =>
  world.socket.says({ event: 'service:ack', data: { message_id: id, channel: CHANNEL, ...more } });

const rejection = (sending: Sending): Promise<CarillonError> =>
  sending.then(
    () => {
      throw new Error('it was resolved');
    },
    (error: CarillonError) => error,
  );

/** Loses the connection, and subscribes the channel on the next one; returns the ids of the events sent on it. */
async function reconnect(world: World): Promise<readonly unknown[]> {
  world.socket.ends(1006);
  await world.clock.pass(3000);
  await world.establish({ acks: true });
  world.socket.says(subscribed(CHANNEL));
  return world.socket.taken().flatMap(({ message_id: id }) => (id === undefined ? [] : [id]));
}

describe('send', () => {
  it('requests acknowledgements in the address', async () => {
    const { world } = await open();
    expect(new URL(world.socket.url).searchParams.get('acks')).toBe('true');
  });

  it('resolves with the position when the service acknowledges the event', async () => {
    const { world, channel } = await open();
    const sending = channel.send('client-a', 1, { id: 'one' });
    expect(sending.id).toBe('one');
    acknowledge(world, 'one', { ok: true, stream_id: 'a', serial: 7 });
    expect(await sending).toEqual({ id: 'one', streamId: 'a', serial: 7, acknowledged: true });
    const second = channel.send('client-a', 2);
    acknowledge(world, second.id);
    expect(await second).toEqual({ id: second.id, streamId: null, serial: null, acknowledged: true });
  });

  it('rejects with the code of the refusal, which the channel reports too', async () => {
    const { world, channel } = await open();
    const errors: CarillonError[] = [];
    channel.on('error', (error) => errors.push(error));
    const sending = channel.send('client-a', 1, { id: 'one' });
    acknowledge(world, 'one', { ok: false, code: 4301, message: 'The payload is too large' });
    const error = await rejection(sending);
    expect(error).toBeInstanceOf(CarillonError);
    expect(error).toMatchObject({ code: 4301, channel: CHANNEL, reason: null });
    expect(errors).toEqual([error]);
    expect(await reconnect(world)).toEqual([]);
  });

  it('rejects with timeout, and does not send the event again, when no acknowledgement comes', async () => {
    const { world, channel } = await open();
    const error = rejection(channel.send('client-a', 1, { id: 'one', timeoutMs: 50 }));
    await world.clock.pass(50);
    expect(await error).toMatchObject({ reason: 'timeout', code: 0 });
    expect(await reconnect(world)).toEqual([]);
  });

  it('sends the event again under its id when the connection is lost before the acknowledgement', async () => {
    const { world, channel } = await open();
    const sending = channel.send('client-a', 1, { id: 'one', echo: false, timeoutMs: 0 });
    expect(await reconnect(world)).toEqual(['one']);
    acknowledge(world, 'one', { ok: true, stream_id: 'a', serial: 1 });
    expect(await sending).toMatchObject({ serial: 1 });
    expect(await reconnect(world)).toEqual([]);
  });

  it('rejects with disconnected when the event has been lost with three connections', async () => {
    const { world, channel } = await open();
    const error = rejection(channel.send('client-a', 1, { id: 'one', timeoutMs: 0 }));
    expect([await reconnect(world), await reconnect(world), await reconnect(world)]).toEqual([
      ['one'],
      ['one'],
      [],
    ]);
    expect(await error).toMatchObject({ reason: 'disconnected' });
  });

  it('rejects with disconnected, and keeps nothing to send, when the client disconnects for good', async () => {
    const { world, channel } = await open();
    const sent = rejection(channel.send('client-a', 1, { id: 'sent' }));
    world.socket.ends(1006);
    await world.clock.pass(100);
    const waiting = rejection(channel.send('client-a', 2, { id: 'waiting' }));
    const ephemeral = rejection(channel.send('client-a', 3, { id: 'gone', ephemeral: true }));
    world.client.disconnect();
    for (const error of [sent, waiting, ephemeral]) {
      expect(await error).toMatchObject({ reason: 'disconnected' });
    }
    await world.connect({ acks: true });
    world.socket.says(subscribed(CHANNEL));
    expect(world.socket.taken().filter(({ event }) => event.startsWith('client-'))).toEqual([]);
  });

  it('rejects when the data cannot be encoded', async () => {
    const { channel } = await open();
    const error = await rejection(channel.send('client-a', { n: 1n }));
    expect(error).toBeInstanceOf(CarillonError);
    expect(error.channel).toBe(CHANNEL);
  });

  it('resolves unacknowledged when the service does not acknowledge events', async () => {
    const { channel } = await open({ acks: false });
    const receipt: Receipt = await channel.send('client-a', 1, { id: 'one' });
    expect(receipt).toEqual({ id: 'one', streamId: null, serial: null, acknowledged: false });
  });
});
