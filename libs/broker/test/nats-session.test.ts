import { setImmediate as turn } from 'node:timers/promises';
import { natsNames } from '@carillon/contracts';
import { describe, expect, it, vi } from 'vitest';
import { Refused, SessionLost } from '../src/cluster/wire.js';
import { NatsSession } from '../src/drivers/nats/nats-session.js';
import { natsScene } from './nats-scene.js';

const nothing = (): void => {};

function scene() {
  const { connection, written, pong, end, deny, say } = natsScene(16);
  const events: string[] = [];
  const lost: string[] = [];
  const heard: string[] = [];
  const listener = {
    message: (address: string, bytes: Uint8Array) =>
      void heard.push(`${address}:${Buffer.from(bytes).toString()}`),
    dropped: nothing,
    lost: (reason: string) => void lost.push(reason),
  };
  const onEvent = (event: string): void => void events.push(event);
  const session = new NatsSession(connection, listener, onEvent, natsNames('test'));
  return { session, written, pong, end, deny, say, lost, heard, events };
}

const outcomes = async (sent: readonly Promise<void>[]): Promise<unknown[]> =>
  (await Promise.allSettled(sent)).map((one) => (one.status === 'fulfilled' ? 'confirmed' : one.reason));

describe('a session over NATS', () => {
  it('sends in order, at the end of the turn, what was published in it, and confirms it with one answer', async () => {
    const { session, written, pong } = scene();
    const sent = ['1', '2', '3'].map((text, at) => session.publish(at === 1 ? 'b' : 'a', text));
    expect(written).toEqual([]);
    await turn();
    expect(written).toEqual(['PUB a 1', 'PUB b 2', 'PUB a 3', 'PING']);
    pong();
    expect(await outcomes(sent)).toEqual(['confirmed', 'confirmed', 'confirmed']);
  });

  it('that is lost confirms nothing it has no answer for, sent or not', async () => {
    const { session, lost, end, events } = scene();
    const sent = [session.publish('a', '1')];
    await turn();
    sent.push(session.publish('a', '2'));
    await turn();
    sent.push(session.publish('a', '3'));
    end('the broker went away');
    sent.push(session.publish('a', '4'));
    for (const outcome of await outcomes(sent)) expect(outcome).toBeInstanceOf(SessionLost);
    expect(lost).toEqual(['the broker went away']);
    expect(events).toEqual(['closed', 'disconnected']);
  });

  it('refuses what is too large for the broker, and nothing else of the same turn', async () => {
    const { session, written, pong } = scene();
    const sent = ['1', 'ü'.repeat(9), '2'].map((text) => session.publish('a', text));
    const told = outcomes(sent);
    await turn();
    pong();
    const [first, second, third] = await told;
    expect([first, third]).toEqual(['confirmed', 'confirmed']);
    expect(second).toEqual(new Error('the message is larger than the broker takes'));
    expect(written).toEqual(['PUB a 1', 'PUB a 2', 'PING']);
  });

  it('says what the broker did not take of all that it confirms together, to those who sent something', async () => {
    const { session, deny, pong } = scene();
    const sent = ['a', 'b', 'a'].map((address) => session.publish(address, '1'));
    const passed = session.check();
    await turn();
    deny('publish', 'a');
    pong();
    await passed;
    const refused = new Refused(new Set(['a']));
    expect(await outcomes(sent)).toEqual([refused, refused, refused]);
  });

  it('lets what was published leave before it closes', async () => {
    const { session, written, pong, lost } = scene();
    const sent = [session.publish('a', '1')];
    const closing = session.close();
    await turn();
    expect(written).toEqual(['PUB a 1', 'PING']);
    pong();
    await vi.waitFor(() => expect(written).toEqual(['PUB a 1', 'PING', 'PING']));
    pong();
    await closing;
    expect(await outcomes(sent)).toEqual(['confirmed']);
    expect(lost).toEqual([]);
  });

  it('hears what it subscribed to until it unsubscribes, and says what the broker refuses', async () => {
    const { session, deny, say, written, pong, heard } = scene();
    const subscribed = session.subscribe(['a', 'b']);
    await turn();
    expect(written).toEqual(['SUB a', 'SUB b', 'PING']);
    deny('subscription', 'b');
    pong();
    expect(await subscribed).toEqual(['b']);
    say('a', 'one');
    const unsubscribed = session.unsubscribe(['a', 'b']);
    await vi.waitFor(() => expect(written.slice(3)).toEqual(['UNSUB a', 'PING']));
    pong();
    await unsubscribed;
    expect(heard).toEqual(['a:one']);
  });
});
