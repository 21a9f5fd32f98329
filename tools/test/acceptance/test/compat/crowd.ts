import type * as Ably from 'ably';
import { expect } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { type AblyClients, cut } from './ably.js';

/** What one client of a crowd has seen. */
interface Seen {
  readonly client: Ably.Realtime;
  readonly numbers: number[];
  readonly changes: Ably.ChannelStateChange[];
}

/**
 * Has so many clients listen to one channel while messages are published, and cuts every one of them once. Each must end
 * with every message, once and in order, and say that it went on where it was.
 */
export async function cutUnderLoad(
  clients: AblyClients,
  {
    count,
    messages,
    everyMs,
  }: { readonly count: number; readonly messages: number; readonly everyMs: number },
): Promise<void> {
  const name = `crowd-${count}`;
  const publisher = clients.connect().channels.get(name);
  await publisher.attach();
  const crowd: Seen[] = [];
  for (let from = 0; from < count; from += 50) {
    const some = Array.from({ length: Math.min(50, count - from) }, (): Seen => {
      const client = clients.connect({ disconnectedRetryTimeout: 500 });
      return { client, numbers: [], changes: [] };
    });
    await Promise.all(
      some.map(async ({ client, numbers, changes }) => {
        const channel = client.channels.get(name);
        await channel.subscribe(({ data }) => numbers.push(Number(data)));
        channel.on((change) => changes.push(change));
      }),
    );
    crowd.push(...some);
  }
  const sent: Promise<unknown>[] = [];
  for (let number = 0; number < messages; number += 1) {
    sent.push(publisher.publish('n', String(number)));
    // Each is cut in the middle half of the time.
    const at = Math.floor((number - messages / 4) * ((2 * count) / messages));
    const next = Math.floor((number + 1 - messages / 4) * ((2 * count) / messages));
    for (let index = Math.max(0, at); index < Math.min(count, next); index += 1) {
      const one = crowd[index];
      if (one !== undefined) cut(one.client);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await Promise.all(sent);
  const all = Array.from({ length: messages }, (_, number) => number);
  await eventually(() => {
    for (const { numbers } of crowd) if (numbers.length < messages) throw new Error('not all have come');
  }, 60_000);
  for (const { numbers, changes } of crowd) {
    expect(numbers).toEqual(all);
    expect(changes.map(({ current, resumed }) => [current, resumed])).toContainEqual(['attached', true]);
    expect(changes.filter(({ current, resumed }) => current === 'attached' && !resumed)).toEqual([]);
  }
}
