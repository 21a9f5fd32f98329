import { setImmediate as turn } from 'node:timers/promises';
import { natsNames } from '@carillon/contract';
import { describe, expect, it, vi } from 'vitest';
import { Refused, SessionLost } from '../src/cluster/wire.js';
import { NatsSession } from '../src/drivers/nats/nats-session.js';
import { natsScene } from './nats-scene.js';

const nothing = (): void => {};

function scene() {
  const { connection, written, pong, end, events } = natsScene(16);
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
  return { session, connection, written, pong, end, lost, heard, events };
}

const outcomes = async (sent: readonly Promise<void>[]): Promise<unknown[]> =>
  (await Promise.allSettled(sent)).map((one) => (one.status === 'fulfilled' ? 'confirmed' : one.reason));

describe('a session over NATS', () => {
  it('sends in order and in one write, at the end of the turn, what was published in it, and confirms it with one answer', async () => {
    const { session, written, pong } = scene();
    const sent = ['1', '2', '3'].map((text, at) => session.publish(at === 1 ? 'b' : 'a', text));
    expect(written).toEqual([]);
    await turn();
    expect(written).toEqual(['PUB a 1\r\n1\r\nPUB b 1\r\n2\r\nPUB a 1\r\n3\r\nPING\r\n']);
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
    expect(written.join('')).toBe('PUB a 1\r\n1\r\nPUB a 1\r\n2\r\nPING\r\n');
  });

  it('says what the broker did not take of all that it confirms together, to those who sent something', async () => {
    const { session, connection, pong } = scene();
    const sent = ['a', 'b', 'a'].map((address) => session.publish(address, '1'));
    const passed = session.check();
    await turn();
    connection.incoming.error('Permissions Violation for Publish to "a"');
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
    expect(written.join('')).toBe('PUB a 1\r\n1\r\nPING\r\n');
    pong();
    await closing;
    expect(await outcomes(sent)).toEqual(['confirmed']);
    expect(lost).toEqual([]);
  });

  it('hears what it subscribed to until it unsubscribes, and says what the broker refuses', async () => {
    const { session, connection, written, pong, heard } = scene();
    const subscribed = session.subscribe(['a', 'b']);
    await turn();
    expect(written.join('')).toBe('SUB a 1\r\nSUB b 2\r\nPING\r\n');
    connection.incoming.error('Permissions Violation for Subscription to "b"');
    pong();
    expect(await subscribed).toEqual(['b']);
    const say = (sid: number, text: string): void =>
      connection.incoming.message(sid, 'whatever', null, null, Buffer.from(text));
    say(1, 'one');
    say(2, 'two');
    const unsubscribed = session.unsubscribe(['a', 'b']);
    say(1, 'late');
    await vi.waitFor(() => expect(written.join('').endsWith('UNSUB 1\r\nPING\r\n')).toBe(true));
    pong();
    await unsubscribed;
    expect(heard).toEqual(['a:one']);
  });
});
