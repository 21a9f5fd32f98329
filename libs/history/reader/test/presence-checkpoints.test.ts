import type { CommitRecordOf } from '@carillon/contracts';
import { CHECKPOINT_EVERY, MemoryHistoryStore, type PresenceEvents } from '@carillon/history-store';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PresenceHistoryReader, type SnapshotQuery } from '../src/index.js';
import { PRESENCE_CHANNEL as CHANNEL, resetOf, transition, write } from './writing.js';
import { NO_DESK } from './desks.js';
import { wantedOf } from './rows.js';

const EVENTS = ['member_added', 'member_updated', 'member_removed'] as const;

type Policy = CommitRecordOf<'presence'>['policy'];

/** Numbers from 0 up to a bound, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A presence channel whose transitions are committed as writers do. */
class Channel {
  readonly store = new MemoryHistoryStore();
  nowMs = 1_760_000_000_000;
  /** Events that the last snapshot has read. */
  read = 0;

  constructor(private readonly users = 30) {}

  /** Applies random joins, updates and leaves, many of them without effect. */
  async live(transitions: number, random: (below: number) => number, more: Partial<Policy>): Promise<void> {
    for (let left = transitions; left > 0;) {
      const size = Math.min(left, 1 + random(500));
      left -= size;
      this.nowMs += random(20);
      const changes = Array.from({ length: size }, () => transitionOf(random, more, this.users));
      await write(this.store, changes, this.nowMs);
    }
  }

  async purge(): Promise<void> {
    await this.store.purge({ nowMs: this.nowMs, batch: 10, receiptsKeptMs: 0, windowMs: 0 });
  }

  async snapshot(query: SnapshotQuery, withCheckpoints: boolean) {
    const { store } = this;
    this.read = 0;
    const reads: PresenceEvents = {
      presenceEvents: async (page) => {
        const events = await store.presenceEvents(page);
        this.read += events.length;
        return events;
      },
      presenceCheckpoint: async (asked) => (withCheckpoints ? store.presenceCheckpoint(asked) : null),
    };
    const whole = {
      ...reads,
      heads: store.heads.bind(store),
      retained: store.retained.bind(store),
    };
    const reader = new PresenceHistoryReader(
      { store: whole, now: () => this.nowMs, faults: NO_DESK },
      { timeoutMs: 10_000, source: 'in_memory' },
    );
    return reader.snapshot('shop', CHANNEL, query).catch((error: unknown) => ({ refused: String(error) }));
  }

  async headSerial(): Promise<number> {
    const [stream] = (
      await this.store.heads([{ appId: 'shop', channel: CHANNEL, kind: 'presence' }])
    ).values();
    return stream?.nextHistorySerial ?? 1;
  }
}

const transitionOf = (random: (below: number) => number, policy: Partial<Policy>, users: number) =>
  transition(EVENTS[random(3)] ?? 'member_added', `u${random(users)}`, policy);

/** A moment of any kind: a serial, a time, both or none. */
function moment(channel: Channel, startMs: number, head: number, random: (below: number) => number) {
  const kind = random(4);
  return {
    atSerial: kind === 1 || kind === 3 ? random(head + 10) : null,
    atTimeMs: kind >= 2 ? startMs + random(channel.nowMs - startMs + 10) : null,
  };
}

describe('a snapshot that begins at a checkpoint', () => {
  it('is that of a replay of everything, and reads no more than what is between two checkpoints', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.integer({ min: 0, max: 6000 }),
        fc.option(fc.integer({ min: 1, max: 4000 })),
        fc.option(fc.integer({ min: 1, max: 200 })),
        fc.boolean(),
        fc.integer({ min: 1, max: 2000 }),
        async (seed, transitions, maxMessages, windowMs, isReset, users) => {
          const random = numbers(seed);
          const channel = new Channel(users);
          const startMs = channel.nowMs;
          const policy = {
            max_messages: maxMessages,
            ...(windowMs === null ? {} : { history_ms: windowMs }),
          };
          await channel.live(transitions, random, policy);
          if (isReset) {
            await write(channel.store, [resetOf('presence')], channel.nowMs);
            await channel.live(2500, random, policy);
          }
          if (random(2) === 0) await channel.purge();
          const head = await channel.headSerial();
          for (let times = 0; times < 6; times += 1) {
            const query = moment(channel, startMs, head, random);
            const whole = await channel.snapshot(query, false);
            expect(await channel.snapshot(query, true)).toEqual(whole);
            expect(channel.read).toBeLessThanOrEqual(CHECKPOINT_EVERY + 2);
          }
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);

  it('is that of a replay of everything when events have expired before older ones', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const random = numbers(seed);
        const channel = new Channel();
        const startMs = channel.nowMs;
        for (let times = 0; times < 3; times += 1)
          await channel.live(1500, random, { history_ms: 20 + random(200) });
        const head = await channel.headSerial();
        for (let times = 0; times < 6; times += 1) {
          const query = moment(channel, startMs, head, random);
          expect(await channel.snapshot(query, true)).toEqual(await channel.snapshot(query, false));
        }
      }),
      { numRuns: 20 },
    );
  }, 120_000);

  it('at the very checkpoint shows all events that led there', async () => {
    const channel = new Channel();
    await channel.live(6000, numbers(1), {});
    const serial = 2 * CHECKPOINT_EVERY;
    const snapshot = await channel.snapshot({ atSerial: serial, atTimeMs: null }, true);
    expect(snapshot).toMatchObject({
      snapshot_serial: serial,
      events_replayed: serial,
      continuity: { complete: true },
    });
    expect(channel.read).toBe(1);
  });

  it('finds what contradicts it afterwards', async () => {
    const channel = new Channel();
    await channel.live(2000, numbers(2), {});
    const address = { appId: 'shop', channel: CHANNEL, kind: 'presence' } as const;
    await channel.store.commit(wantedOf(address, channel.nowMs), (found) => {
      const [stream] = found.streams.values();
      if (stream === null || stream === undefined) throw new Error('no stream');
      const { streamKey, generation, nextHistorySerial: serial } = stream;
      const event = { streamKey, generation, serial, atMs: channel.nowMs, keepUntilMs: channel.nowMs + 1000 };
      return {
        changes: {
          streams: [{ ...stream, address, nextHistorySerial: serial + 1 }],
          records: [],
          receipts: [],
          presenceEvents: [
            {
              ...event,
              event: 'member_removed',
              cause: 'disconnect',
              userId: 'nobody',
              connectionId: null,
              deadNodeId: null,
              body: 'null',
              bodySize: 4,
            },
          ],
          presenceMembers: [],
          presenceCheckpoints: [],
          operatorLog: [],
        },
      };
    });
    for (const withCheckpoints of [true, false])
      expect(await channel.snapshot({ atSerial: null, atTimeMs: null }, withCheckpoints)).toEqual({
        refused: expect.stringContaining('removes a member that is not there'),
      });
  });
});
