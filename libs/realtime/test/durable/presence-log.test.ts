import { App } from '@carillon/app-registry';
import { Channels } from '@carillon/channels';
import { parseAppRecord } from '@carillon/config';
import { type CommitRecord, type CommitResult, readCommitRecord } from '@carillon/contracts';
import { newStream, streamName } from '@carillon/history-store';
import type { PresenceChange } from '@carillon/presence';
import { configuration } from '@carillon/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_WAITING, PresenceLog } from '../../src/durable/presence-log.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const PLACE = { appId: 'shop', channel: 'presence-a' } as const;
const came = (userId: string, serial: number, channel: string = PLACE.channel): PresenceChange => ({
  ...PLACE,
  channel,
  kind: 'added',
  member: { userId, userInfoText: '{"name":"Ada"}', socketId: '1.2' },
  socketId: '1.2',
  serial,
});
const went = (userId: string, serial: number): PresenceChange => ({
  ...PLACE,
  kind: 'removed',
  userId,
  userInfoText: '{}',
  cameBy: '1.2',
  cause: 'connection_lost',
  serial,
});

const later = (ms: number): Promise<void> => new Promise((done) => void setTimeout(done, ms));

function scene({ enabled = true, retained = 0 } = {}) {
  const config = configuration({ PRESENCE_HISTORY_ENABLED: String(enabled), HISTORY_BACKEND: 'memory' });
  const { record } = parseAppRecord({ id: 'shop', key: 'k', secret: 's' }, '');
  if (record === null) throw new Error('no app');
  const app = new App(record, config);
  const state = {
    isAway: false,
    marksPass: false,
    isUnreadable: false,
    markedAfterMs: 0,
    code: 'service_unavailable',
    records: [] as CommitRecord[],
    tries: 0,
  };
  const lost = vi.fn();
  const address = { ...PLACE, kind: 'presence' } as const;
  const log = new PresenceLog({
    apps: { peekById: () => app, findById: async () => app },
    channels: new Channels(config),
    commits: {
      commit: async (records) =>
        Promise.all(
          records.map(async (one): Promise<CommitResult> => {
            state.tries += 1;
            if (one.op === 'mark' && state.markedAfterMs > 0) await later(state.markedAfterMs);
            const passes = one.op === 'mark' && state.marksPass;
            if (state.isAway && !passes) return { pub_id: one.pub_id, status: 'rejected', code: state.code };
            state.records.push(one);
            return { pub_id: one.pub_id, status: 'applied' };
          }),
        ),
    },
    reads: {
      heads: async () => {
        if (state.isUnreadable) throw new Error('the store is away');
        return new Map([
          [streamName(address), { ...newStream(address, 'k', 's', 1), retainedMessages: retained }],
        ]);
      },
    },
    nodeId: () => 'node-1',
    onTrouble: () => undefined,
    lost,
  });
  const lines = () => state.records.map((one) => (one.op === 'mark' ? `${one.state} ${one.reason}` : one.op));
  return { app, log, state, lost, lines };
}

describe('changes of a presence channel with a history', () => {
  it('go to their lane with what is known of them', async () => {
    const { app, log, state } = scene();
    log.changed(app, came('u', 5));
    log.changed('shop', went('u', 6));
    await pass(0);
    expect(state.records).toMatchObject([
      {
        op: 'presence',
        app_id: 'shop',
        channel: 'presence-a',
        event: 'member_added',
        cause: 'join',
        user_id: 'u',
        connection_id: '1.2',
        user_info: { name: 'Ada' },
        transition_no: 5,
        policy: { history_ms: 86_400_000, max_messages: null },
      },
      { event: 'member_removed', cause: 'timeout', connection_id: '1.2', transition_no: 6 },
    ]);
    expect(state.records.map((one) => readCommitRecord(one).ok)).toEqual([true, true]);
    expect(log.size).toBe(0);
  });

  it('are nothing where there is none', async () => {
    const { app, log, state } = scene({ enabled: false });
    log.changed(app, came('u', 5));
    await pass(0);
    expect([log.size, state.tries]).toEqual([0, 0]);
  });

  it('are sent again, the same ones, until they are committed', async () => {
    const { app, log, state, lost, lines } = scene();
    state.isAway = true;
    log.changed(app, came('u', 5));
    await pass(5000);
    expect(log.size).toBe(1);
    state.isAway = false;
    await pass(1000);
    expect([log.size, lines()]).toEqual([0, ['presence']]);
    expect(lost).not.toHaveBeenCalled();
  });

  it('make the history doubtful when they wait for long, and it is healthy when they are committed', async () => {
    const { app, log, state, lines } = scene();
    state.isAway = true;
    state.marksPass = true;
    log.changed(app, came('u', 5));
    await pass(31_500);
    expect(lines()).toEqual(['degraded presence_history_commit_lagging']);
    state.isAway = false;
    await pass(1000);
    expect(lines().slice(1)).toEqual(['presence', 'healthy null']);
  });

  it('leave the history healthy that are committed while it is said that they wait', async () => {
    const { app, log, state, lines } = scene();
    state.isAway = true;
    state.marksPass = true;
    state.markedAfterMs = 3000;
    log.changed(app, came('u', 5));
    await pass(30_500);
    state.isAway = false;
    await pass(10_000);
    expect(lines()).toEqual(['presence', 'degraded presence_history_commit_lagging', 'healthy null']);
  });

  it('are given up where nobody knows what is retained: it is said at once, and wholly when it is known', async () => {
    const { app, log, state, lines } = scene({ retained: 3 });
    state.isAway = true;
    log.changed(app, came('u', 5));
    state.isUnreadable = true;
    await pass(59_500);
    state.marksPass = true;
    await pass(2000);
    expect(lines().at(-1)).toBe('degraded presence_history_write_failed');
    state.isUnreadable = false;
    await pass(6000);
    expect(lines().at(-1)).toBe('reset_required presence_history_reset_required_after_write_failure');
  });

  it.each([
    [0, 'degraded presence_history_write_failed'],
    [3, 'reset_required presence_history_reset_required_after_write_failure'],
  ])(
    'are given up after a minute, and with %i events retained the history says so',
    async (retained, line) => {
      const { app, log, state, lost, lines } = scene({ retained });
      state.isAway = true;
      log.changed(app, came('u', 5));
      await pass(62_000);
      expect([log.size, lost.mock.calls]).toEqual([0, [['shop']]]);
      state.isAway = false;
      await pass(6000);
      expect(lines()).toEqual([line]);
    },
  );

  it('are bounded: with one more the oldest is given up', async () => {
    const { app, log, state, lost } = scene();
    state.isAway = true;
    for (let n = 0; n <= MAX_WAITING; n += 1) log.changed(app, came(`u${n}`, n));
    expect([log.size, lost.mock.calls.length]).toEqual([MAX_WAITING, 1]);
    log.stop();
    expect(log.size).toBe(0);
  });

  it('that a writer refuses for good are not sent again', async () => {
    const { app, log, state } = scene();
    state.isAway = true;
    state.code = 'invalid_input';
    log.changed(app, came('u', 5));
    await pass(5000);
    expect([log.size, state.tries]).toEqual([0, 1]);
  });
});
