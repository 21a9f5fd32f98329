import { describe, expect, it } from 'vitest';
import {
  CHECKPOINT_EVERY,
  type DurableStore,
  type Found,
  type NewCheckpoint,
  type PresenceEvent,
  type PresenceMember,
  type Stream,
  streamName,
} from '../src/index.js';
import { purgeAll } from './conformance-purge.js';
import { addressOf, DAY_MS, headOf, NOTHING, NOW_MS, streamIn, wantedOf } from './scene.js';

const HOSTILE = `'); drop table x; -- "{}",\\N \u{1f514}\u00c4`;

/** An event of a member at a serial. */
type Step = readonly [serial: number, event: PresenceEvent['event'], userId: string];

interface Written {
  readonly stream?: (stream: Stream) => Partial<Stream>;
  readonly checkpoints?: readonly Pick<NewCheckpoint, 'members' | 'serial'>[];
  readonly keepUntilMs?: number;
}

/** Writes events with the members that they lead to. */
async function write(
  store: DurableStore,
  channel: string,
  steps: readonly Step[],
  { stream: change, checkpoints = [], keepUntilMs = NOW_MS + DAY_MS }: Written = {},
): Promise<void> {
  const address = addressOf(channel, 'presence');
  await store.commit(wantedOf([address]), (found) => {
    const stream = { ...streamIn(found, address) };
    Object.assign(stream, change?.(stream));
    const { streamKey, generation } = stream;
    const members = new Map(
      steps.map(([serial, event, userId]): [string, PresenceMember] => [
        userId,
        {
          streamKey,
          generation,
          userId,
          present: event !== 'member_removed',
          lastNo: null,
          lastSerial: serial,
        },
      ]),
    );
    const next = Math.max(stream.nextHistorySerial, ...steps.map(([serial]) => serial + 1));
    return {
      changes: {
        ...NOTHING,
        presenceEvents: steps.map(([serial, event, userId]) => ({
          streamKey,
          generation,
          serial,
          atMs: NOW_MS + serial,
          event,
          cause: event === 'member_removed' ? 'disconnect' : 'join',
          userId,
          connectionId: null,
          deadNodeId: null,
          body: 'null',
          bodySize: 4,
          keepUntilMs,
        })),
        presenceMembers: [...members.values()],
        presenceCheckpoints: checkpoints.map((checkpoint) => ({
          ...checkpoint,
          streamKey,
          generation,
          keepUntilMs,
        })),
        streams: [
          {
            ...stream,
            nextHistorySerial: next,
            nextDeliverySerial: next,
            retainedMessages: stream.retainedMessages + steps.length,
            retainedBytes: stream.retainedBytes + 4 * steps.length,
            lastKeepDay: '2026-04-20',
          },
        ],
      },
    };
  });
}

const standing = (userId: string, serial: number) =>
  ({ userId, event: 'member_added', serial, atMs: NOW_MS + serial }) as const;

const at = (serial: number) => ({ serial, members: [standing(HOSTILE, serial - 1)] });

const events = (serials: readonly number[]): Step[] =>
  serials.map((serial) => [serial, 'member_added', `u${serial}`]);

/** Requirements of checkpoints of every store. */
export function conformanceOfCheckpoints(current: () => DurableStore): void {
  const crowdOf = async (channel: string, more: number) => {
    const address = addressOf(channel, 'presence');
    const seen: Found[] = [];
    await current().commit(wantedOf([address], { crowds: [{ address, events: more }] }), (found) => {
      seen.push(found);
      return { changes: NOTHING };
    });
    const crowd = seen.at(-1)?.crowds.get(streamName(address));
    return crowd === undefined ? null : [...crowd].sort((one, other) => one.serial - other.serial);
  };
  const checkpointOf = async (channel: string, fromSerial: number, toSerial: number) => {
    const { streamKey, generation } = await headOf(current(), addressOf(channel, 'presence'));
    return current().presenceCheckpoint({ streamKey, generation, fromSerial, toSerial });
  };

  describe('knows at a checkpoint', () => {
    it('who is there, when one may become due and only then', async () => {
      const last = CHECKPOINT_EVERY - 3;
      await write(current(), 'presence-crowd', [
        [1, 'member_added', 'gone'],
        [2, 'member_added', HOSTILE],
        [3, 'member_removed', 'gone'],
        [4, 'member_added', 'u'],
        [last, 'member_updated', 'u'],
      ]);
      expect(await crowdOf('presence-crowd', 2)).toBeNull();
      expect(await crowdOf('presence-crowd', 3)).toEqual([
        standing(HOSTILE, 2),
        { userId: 'u', event: 'member_updated', serial: last, atMs: NOW_MS + last },
      ]);
      expect(await crowdOf('presence-nobody', CHECKPOINT_EVERY)).toEqual([]);
    });

    it('nobody whose last event was purged', async () => {
      await write(
        current(),
        'presence-below',
        [
          [1, 'member_added', 'a'],
          [2, 'member_added', 'b'],
        ],
        { stream: () => ({ floorHistorySerial: 2 }) },
      );
      expect(await crowdOf('presence-below', CHECKPOINT_EVERY)).toEqual([standing('b', 2)]);
    });

    it('nobody of before a reset', async () => {
      await write(current(), 'presence-again', [[1, 'member_added', 'a']]);
      await write(current(), 'presence-again', [[1, 'member_added', 'b']], {
        stream: ({ generation }) => ({ generation: generation + 1, nextHistorySerial: 1 }),
        checkpoints: [],
      });
      expect(await crowdOf('presence-again', CHECKPOINT_EVERY)).toEqual([standing('b', 1)]);
    });
  });

  describe('gives back a checkpoint', () => {
    it('the newest within bounds, as it was written', async () => {
      await write(current(), 'presence-marks', [], { checkpoints: [at(1000), at(2000), at(3000)] });
      expect(await checkpointOf('presence-marks', 1, 2999)).toEqual(at(2000));
      expect(await checkpointOf('presence-marks', 1000, 1000)).toEqual(at(1000));
      expect(await checkpointOf('presence-marks', 2001, 2999)).toBeNull();
      await write(current(), 'presence-empty', [], { checkpoints: [{ serial: 1000, members: [] }] });
      expect(await checkpointOf('presence-empty', 1, 1000)).toEqual({ serial: 1000, members: [] });
    });

    it('however many are there', async () => {
      const members = Array.from({ length: 5000 }, (_, index) => standing(`${HOSTILE}${index}`, index + 1));
      await write(current(), 'presence-crowded', [], { checkpoints: [{ serial: 6000, members }] });
      expect(await checkpointOf('presence-crowded', 1, 6000)).toEqual({ serial: 6000, members });
    });

    it('and forgets it with what it stands for', async () => {
      const later = NOW_MS + 20 * DAY_MS;
      // By its day.
      await write(current(), 'presence-day', events([1000]), { checkpoints: [at(1000)] });
      await write(current(), 'presence-day', events([2000]), { checkpoints: [at(2000)], keepUntilMs: later });
      // By a cap.
      await write(current(), 'presence-cap', events([999, 1000]), {
        checkpoints: [at(1000)],
        keepUntilMs: later,
      });
      await write(current(), 'presence-cap', events([1001]), {
        keepUntilMs: later,
        stream: () => ({ maxMessages: 1 }),
      });
      await purgeAll(current(), NOW_MS + 2 * DAY_MS);
      expect(await checkpointOf('presence-day', 1, 1999)).toBeNull();
      expect(await checkpointOf('presence-day', 1, 2000)).toEqual(at(2000));
      expect(await checkpointOf('presence-cap', 1, 2000)).toBeNull();
      // By a reset.
      await write(current(), 'presence-day', [], {
        stream: ({ generation }) => ({ generation: generation + 1, nextHistorySerial: 1 }),
      });
      expect(await checkpointOf('presence-day', 1, 2000)).toBeNull();
    });
  });
}
