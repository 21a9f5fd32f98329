import { EventEmitter, once } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client } from './client.js';
import { Hold } from './ports.js';
import { openRoom, Room, turn } from './room.js';

/** Returns a room whose reads of last events wait for the test: before the lookup, or with the answer in transit. */
async function slowReads(when: 'beforeRead' | 'afterRead'): Promise<{ room: Room; hold: Hold }> {
  const room = await openRoom();
  const hold = new Hold();
  room.lastEvents[when] = () => hold.settled;
  return { room, hold };
}

const numbers = (client: Client): number[] =>
  client.frames.filter(({ event }) => event === 'news').map(({ data }) => Number(data));

/** Waits for a number of microtask turns. */
async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) await Promise.resolve();
}

describe('the last event of a cache channel', () => {
  it.each(['cache-a', 'private-cache-a', 'private-encrypted-cache-a'])(
    'follows the answer on %s',
    async (channel) => {
      const room = await openRoom();
      const client = await room.connect();
      client.subscribe(channel);
      expect(await client.news()).toEqual([
        `subscription_succeeded ${channel} {}`,
        `cache_miss ${channel} {}`,
      ]);
      await room.publish(channel, 'one');
      await room.publish(channel, 'two');
      expect(await client.news()).toEqual([`news ${channel} one`, `news ${channel} two`]);
      const late = await room.connect();
      late.subscribe(channel);
      expect(await late.news()).toEqual([`subscription_succeeded ${channel} {}`, `news ${channel} two`]);
      await room.publish(channel, 'three');
      expect(await late.news()).toEqual([`news ${channel} three`]);
      client.close();
      late.close();
      await room.expectNothingLeft();
    },
  );

  it('follows the members on presence-cache-a', async () => {
    const room = await openRoom();
    await room.publish('presence-cache-a', 'one');
    const client = await room.connect();
    client.subscribe('presence-cache-a', 'ada');
    expect(await client.news()).toEqual([
      'subscription_succeeded presence-cache-a {"presence":{"ids":["ada"],"hash":{"ada":{}},"count":1}}',
      'news presence-cache-a one',
    ]);
    client.close();
    await room.expectNothingLeft();
  });

  it('is not kept of client events, nor on my-cache-x', async () => {
    const room = await openRoom();
    const [one, two] = [await room.connect(), await room.connect()];
    one.subscribe('private-cache-a');
    one.subscribe('my-cache-x');
    expect(await one.news()).toEqual([
      'subscription_succeeded private-cache-a {}',
      'cache_miss private-cache-a {}',
      'subscription_succeeded my-cache-x {}',
    ]);
    one.send('client-x', { channel: 'private-cache-a', data: 1 });
    await one.news();
    two.subscribe('private-cache-a');
    expect(await two.news()).toEqual([
      'subscription_succeeded private-cache-a {}',
      'cache_miss private-cache-a {}',
    ]);
    one.close();
    two.close();
    await room.expectNothingLeft();
  });

  it('is shown again at every repeated subscribe', async () => {
    const room = await openRoom();
    const client = await room.connect();
    await room.publish('cache-a', 'one');
    for (let time = 0; time < 2; time += 1) {
      client.subscribe('cache-a');
      expect(await client.news()).toEqual(['subscription_succeeded cache-a {}', 'news cache-a one']);
    }
    client.close();
    await room.expectNothingLeft();
  });

  it.each(['beforeRead', 'afterRead'] as const)('is a miss when it cannot be read (%s)', async (when) => {
    const { room, hold } = await slowReads(when);
    const client = await room.connect();
    await room.publish('cache-a', 'one');
    client.subscribe('cache-a');
    await client.heard();
    await room.publish('cache-a', 'two');
    hold.fail();
    await turn();
    expect(await client.news()).toEqual([
      'subscription_succeeded cache-a {}',
      'cache_miss cache-a {}',
      'news cache-a two',
    ]);
    expect(await room.counts()).toEqual({ 'cache-a': 1 });
    expect(room.lines.some((line) => line.includes('last event'))).toBe(true);
    client.close();
    await room.expectNothingLeft();
  });

  it('comes before what was published while it was read', async () => {
    const { room, hold } = await slowReads('afterRead');
    const client = await room.connect();
    await room.publish('cache-a', '0');
    client.subscribe('cache-a');
    await client.heard();
    for (const data of ['1', '2', '3']) await room.publish('cache-a', data);
    expect(await client.news()).toEqual(['subscription_succeeded cache-a {}']);
    hold.release();
    await turn();
    await room.publish('cache-a', '4');
    await client.heard();
    expect(numbers(client)).toEqual([0, 1, 2, 3, 4]);
    client.close();
    await room.expectNothingLeft();
  });

  it('is shown in its place when it was published while the client waited for it', async () => {
    const { room, hold } = await slowReads('beforeRead');
    const client = await room.connect();
    await room.publish('cache-a', '0');
    client.subscribe('cache-a');
    await client.heard();
    for (const data of ['1', '2', '3']) await room.publish('cache-a', data);
    hold.release();
    await turn();
    await client.heard();
    expect(numbers(client)).toEqual([1, 2, 3]);
    client.close();
    await room.expectNothingLeft();
  });

  it('leaves nothing behind when the connection ends while it is read', async () => {
    const { room, hold } = await slowReads('afterRead');
    const client = await room.connect();
    client.subscribe('cache-a');
    client.subscribe('presence-cache-b', 'ada');
    await client.heard();
    client.drop();
    await room.settled(0);
    await room.publish('cache-a', 'late');
    hold.release();
    await turn();
    await room.expectNothingLeft();
    expect(await room.members('presence-cache-b')).toEqual([]);
  });

  it('leaves nothing behind when the client unsubscribes while it is read', async () => {
    const { room, hold } = await slowReads('afterRead');
    const client = await room.connect();
    client.subscribe('cache-a');
    client.unsubscribe('cache-a');
    await client.heard();
    await room.publish('cache-a', '1');
    hold.release();
    await turn();
    await turn();
    await room.publish('cache-a', '2');
    await client.heard();
    expect(numbers(client)).toEqual([1]);
    expect(await room.counts()).toEqual({});
    client.close();
    await room.expectNothingLeft();
  });

  it('goes over into live events without a gap, wherever publishing and reading meet', async () => {
    const program = fc.record({
      before: fc.nat(12),
      after: fc.nat(12),
      publishes: fc.array(fc.nat(12), { minLength: 1, maxLength: 8 }),
      isRepeated: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(program, async ({ before, after, publishes, isRepeated }) => {
        const room = await Room.open();
        const client = await room.connect();
        const reading = new EventEmitter();
        const start = once(reading, 'started');
        let next = 0;
        await room.publish('cache-a', `${next++}`);
        if (isRepeated) {
          client.subscribe('cache-a');
          await client.heard();
        }
        client.frames.length = 0;
        room.lastEvents.beforeRead = () => {
          reading.emit('started');
          return ticks(before);
        };
        room.lastEvents.afterRead = () => ticks(after);
        const publishWhenStarted = async (): Promise<void> => {
          await start;
          for (const wait of publishes) {
            await ticks(wait);
            void room.publish('cache-a', `${next++}`);
          }
        };
        const publishing = publishWhenStarted();
        client.subscribe('cache-a');
        await publishing;
        await turn();
        await room.publish('cache-a', `${next++}`);
        await client.heard();
        const seen = numbers(client);
        expect(client.frames[0]?.event).toBe('pusher_internal:subscription_succeeded');
        // From the first one seen on, every one, once and in order.
        expect(seen.length).toBeGreaterThan(0);
        expect(seen).toEqual(
          Array.from({ length: next - (seen[0] ?? 0) }, (_, index) => index + (seen[0] ?? 0)),
        );
        client.drop();
        await room.expectNothingLeft();
        await room.close();
      }),
      { numRuns: 150 },
    );
  }, 120_000);
});
