import type { ResumePosition } from '@carillon/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LocalChannel } from '../../src/channels/local-channel.js';
import type { Standing } from '../../src/durable/followed.js';
import { Past, type Remembered } from '../../src/recovery/past.js';
import type { Positions } from '../../src/recovery/positions.js';
import { type Archive, type NotRead, type Read, Replays } from '../../src/recovery/replays.js';

const RECOVERY = { enabled: true, maxCount: 10, maxAgeMs: 60_000 };
const CHANNEL = {
  name: 'orders',
  hub: { appId: 'shop' },
  about: { policy: { recovery: RECOVERY } },
} as unknown as LocalChannel;

const at = (serial: number, streamId = 's'): Remembered => ({
  streamId,
  serial,
  frames: null,
  isHole: false,
});

interface World {
  readonly standing?: Standing | null | Error;
  /** Serials in memory, and in the archive. */
  readonly hot?: readonly number[];
  readonly kept?: readonly number[];
  readonly source?: Archive['source'];
  readonly notRead?: NotRead;
  readonly holes?: readonly number[];
  /** Whether it is purged while it is read. */
  readonly isErased?: boolean;
}

function scene({
  standing = stands(8),
  hot = [],
  kept = [],
  source = 'cold',
  notRead,
  holes = [],
  isErased = false,
}: World) {
  const past = new Past(
    () => RECOVERY,
    () => 0,
  );
  const found = (serials: readonly number[]): Read['found'] =>
    serials.map((serial) => ({ one: { ...at(serial), isHole: holes.includes(serial) }, atMs: 0 }));
  past.fill('shop', 'orders', found(hot));
  let reads = 0;
  const archive: Archive = {
    source,
    read: async (_, _stream, from, to) => {
      reads += 1;
      if (isErased) past.erase('shop', 'orders');
      return notRead ?? { found: found(kept.filter((serial) => serial >= from && serial <= to)) };
    },
  };
  const positions = {
    standing: async () => {
      if (standing instanceof Error) throw standing;
      return standing;
    },
  } as unknown as Positions;
  const replays = new Replays({ positions, past, archiveOf: () => archive, onTrouble: () => undefined });
  const since = (serial: number, more: Partial<ResumePosition> = {}) =>
    replays.since(CHANNEL, { streamId: 's', serial, lastMessageId: null, ...more });
  return { since, reads: () => reads };
}

const stands = (serial: number): Standing => ({ streamId: 's', serial, historySerial: serial });
const reasonOf = async (replay: ReturnType<Replays['since']>): Promise<string> => {
  const found = await replay;
  return found.kind === 'failed' ? found.failure.reason : found.missed.map(({ serial }) => serial).join();
};

describe('what was missed of a channel', () => {
  it('comes from memory alone where all of it is there', async () => {
    const { since, reads } = scene({ hot: [6, 7, 8] });
    expect(await since(5)).toMatchObject({ kind: 'replay', source: 'hot', serial: 8, streamId: 's' });
    expect(await reasonOf(since(8))).toBe('');
    expect(reads()).toBe(0);
  });

  it('is joined with what is kept elsewhere, which is read once for all', async () => {
    const { since, reads } = scene({ hot: [7, 8], kept: [1, 2, 3, 4, 5, 6, 7] });
    const all = await Promise.all([3, 4, 5].map((serial) => reasonOf(since(serial))));
    expect(all).toEqual(['4,5,6,7,8', '5,6,7,8', '6,7,8']);
    expect(await reasonOf(since(3))).toBe('4,5,6,7,8');
    expect(reads()).toBe(1);
    expect(await scene({ kept: [6, 7, 8] }).since(5)).toMatchObject({ source: 'cold' });
    expect(await scene({ kept: [6, 7, 8], source: 'hot' }).since(5)).toMatchObject({ source: 'hot' });
  });

  it('is read anew where it was erased meanwhile', async () => {
    const { since, reads } = scene({ kept: [6, 7, 8], isErased: true });
    for (let times = 0; times < 2; times += 1) expect(await reasonOf(since(5))).toBe('6,7,8');
    expect(reads()).toBe(2);
  });

  it('fails with what the matter is', async () => {
    expect(await reasonOf(scene({ standing: new Error('away') }).since(1))).toBe(
      'durable_history_state_unavailable',
    );
    expect(await reasonOf(scene({ standing: null }).since(1))).toBe('durable_stream_head_unavailable');
    const { since } = scene({ kept: [7, 8] });
    expect(await reasonOf(since(1, { streamId: 'other' }))).toBe('stream_id_mismatch');
    expect(await reasonOf(since(9))).toBe('position_ahead_of_durable_stream');
    expect(await reasonOf(since(5))).toBe('retained_history_floor_is_ahead_of_requested_serial');
    expect(await reasonOf(scene({ kept: [7, 8] }).since(6, { streamId: null }))).toBe(
      'legacy_serial_only_position_cannot_use_cold_recovery',
    );
    expect(await reasonOf(scene({ standing: stands(30) }).since(19))).toBe('recovery_window_exceeded');
    expect(await reasonOf(scene({}).since(5))).toBe('durable_history_empty_after_prior_writes');
    expect(await reasonOf(scene({ kept: [6, 8] }).since(5))).toBe('durable_history_is_not_contiguous');
    expect(await reasonOf(scene({ kept: [7, 8], source: 'hot' }).since(5))).toBe(
      'hot_replay_expired_and_durable_history_disabled',
    );
    expect(await reasonOf(scene({ kept: [6, 7, 8], holes: [7] }).since(5))).toBe('purged_range');
    const notRead = { reason: 'history_stream_degraded', oldestSerial: null } as const;
    expect(await reasonOf(scene({ notRead }).since(5))).toBe('history_stream_degraded');
  });

  it('is whole or nothing, whatever is where', async () => {
    const serials = fc.uniqueArray(fc.integer({ min: 1, max: 20 }));
    await fc.assert(
      fc.asyncProperty(serials, serials, fc.nat(22), fc.nat(22), async (some, kept, head, from) => {
        const hot = some.filter((serial) => serial <= head).toSorted((a, b) => a - b);
        const { since } = scene({ standing: stands(head), hot, kept: kept.toSorted((a, b) => a - b) });
        const found = await since(from);
        if (found.kind === 'failed') return;
        const missed = Array.from({ length: Math.max(0, head - from) }, (_, n) => from + n + 1);
        expect(found.missed.map(({ serial }) => serial)).toEqual(missed);
      }),
    );
  });
});
