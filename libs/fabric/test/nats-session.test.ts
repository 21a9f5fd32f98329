import { setImmediate as turn } from 'node:timers/promises';
import { natsNames } from '@carillon/contract';
import type { NatsConnection } from 'nats';
import { describe, expect, it } from 'vitest';
import { SessionLost } from '../src/cluster/wire.js';
import { NatsSession } from '../src/drivers/nats/nats-session.js';

const nothing = (): void => {};

/** A connection that notes what is handed to it, and answers no question by itself. */
function scene(refuses = '') {
  const handed: string[] = [];
  const asked: (() => void)[] = [];
  let isClosed = false;
  let end: () => void = nothing;
  const closed = new Promise<void>((resolve) => (end = resolve));
  const close = (): Promise<void> => {
    isClosed = true;
    end();
    return closed;
  };
  const connection = {
    info: { max_payload: 16 },
    isClosed: () => isClosed,
    closed: () => closed,
    close,
    async *status() {},
    publish: (address: string, bytes: Uint8Array) => {
      const text = Buffer.from(bytes).toString();
      if (text === refuses) throw new Error('cannot be sent');
      handed.push(`${address}:${text}`);
    },
    flush: () => {
      handed.push('?');
      return new Promise<void>((resolve) => asked.push(resolve));
    },
  } as unknown as NatsConnection;
  const lost: string[] = [];
  const listener = { message: nothing, dropped: nothing, lost: (reason: string) => void lost.push(reason) };
  const session = new NatsSession(connection, listener, () => {}, natsNames('test'));
  return { session, handed, asked, lost, close };
}

const outcomes = async (sent: readonly Promise<void>[]): Promise<unknown[]> =>
  (await Promise.allSettled(sent)).map((one) => (one.status === 'fulfilled' ? 'confirmed' : one.reason));

describe('a session over NATS', () => {
  it('hands over in order, at the end of the turn, what was published in it, and confirms it with one answer', async () => {
    const { session, handed, asked } = scene();
    const sent = ['1', '2', '3'].map((text, at) => session.publish(at === 1 ? 'b' : 'a', text));
    expect(handed).toEqual([]);
    await turn();
    expect(handed).toEqual(['a:1', 'b:2', 'a:3', '?']);
    asked[0]?.();
    expect(await outcomes(sent)).toEqual(['confirmed', 'confirmed', 'confirmed']);
  });

  it('that is lost confirms nothing it has no answer for, handed over or not', async () => {
    const { session, lost, close } = scene();
    const sent = [session.publish('a', '1')];
    await turn();
    sent.push(session.publish('a', '2'));
    await turn();
    sent.push(session.publish('a', '3'));
    await close();
    sent.push(session.publish('a', '4'));
    for (const outcome of await outcomes(sent)) expect(outcome).toBeInstanceOf(SessionLost);
    expect(lost).toHaveLength(1);
  });

  it('refuses what is too large for the broker, and nothing else of the same turn', async () => {
    const { session, handed, asked } = scene();
    const sent = ['1', 'x'.repeat(17), '2'].map((text) => session.publish('a', text));
    const told = outcomes(sent);
    await turn();
    asked[0]?.();
    const [first, second, third] = await told;
    expect([first, third]).toEqual(['confirmed', 'confirmed']);
    expect(second).toEqual(new Error('the message is larger than the broker takes'));
    expect(handed).toEqual(['a:1', 'a:2', '?']);
  });

  it('ends, and confirms nothing, when the client does not take what it is handed', async () => {
    const { session, lost } = scene('2');
    const sent = ['1', '2', '3'].map((text) => session.publish('a', text));
    for (const outcome of await outcomes(sent)) expect(outcome).toBeInstanceOf(SessionLost);
    expect(lost).toHaveLength(1);
  });

  it('lets what was published leave before it closes', async () => {
    const { session, handed, asked, lost } = scene();
    const sent = [session.publish('a', '1')];
    const closing = session.close();
    await turn();
    expect(handed).toEqual(['a:1', '?']);
    asked[0]?.();
    await closing;
    expect(await outcomes(sent)).toEqual(['confirmed']);
    expect(lost).toEqual([]);
  });
});
