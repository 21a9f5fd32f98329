import type { CommitRecord, CommitResult } from '@carillon/contracts';
import { newStream } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { type Fault, FaultDesk } from '../src/index.js';

const STREAM = newStream({ appId: 'shop', channel: 'orders', kind: 'messages' }, '1', 's-1', 0);
const GAP: Fault = { reason: 'history_serial_gap', fromSerial: 3, toSerial: 4 };
const OTHER_GAP: Fault = { ...GAP, fromSerial: 8, toSerial: 8 };

/** A desk whose writer gives scripted answers. */
function scene() {
  const state = { nowMs: 0, changed: true as boolean | null, sent: [] as CommitRecord[] };
  const desk = new FaultDesk({
    commits: {
      commit: async (records): Promise<readonly CommitResult[]> => {
        state.sent.push(...records);
        if (state.changed === null) throw new Error('nobody is there');
        const { changed } = state;
        return records.map(({ pub_id }) => ({ pub_id, status: 'applied', extra: { changed } }));
      },
    },
    nodeId: 'node-1',
    elapsed: () => state.nowMs,
    onClaim: () => undefined,
    onTrouble: () => undefined,
  });
  const ask = (fault: Fault, stream = STREAM) => desk.rulingOn(stream, fault.reason, [fault]);
  return { state, desk, ask };
}

describe('a fault that readers find', () => {
  it('is claimed once, however many find it, and again only after a while', async () => {
    const { state, ask } = scene();
    expect(await Promise.all([ask(GAP), ask(GAP), ask(OTHER_GAP)])).toEqual(['upheld', 'upheld', 'upheld']);
    expect(state.sent).toMatchObject([
      {
        op: 'mark',
        app_id: 'shop',
        channel: 'orders',
        stream: 'messages',
        state: 'reset_required',
        reason: 'history_serial_gap',
        node_id: 'node-1',
      },
    ]);
    state.nowMs = 4999;
    await ask(GAP);
    expect(state.sent).toHaveLength(1);
    state.nowMs = 5000;
    await ask(GAP);
    expect(state.sent).toHaveLength(2);
  });

  it('is claimed apart from another reason, and from another stream', async () => {
    const { state, ask } = scene();
    await ask(GAP);
    await ask({ ...GAP, reason: 'history_row_unreadable' });
    await ask(GAP, { ...STREAM, streamId: 's-2' });
    await ask(GAP, { ...STREAM, streamId: 's-3', address: { ...STREAM.address, kind: 'presence' } });
    expect(state.sent).toMatchObject([
      { reason: 'history_serial_gap', state: 'reset_required' },
      { reason: 'history_row_unreadable', state: 'degraded' },
      { reason: 'history_serial_gap' },
      { stream: 'presence' },
    ]);
  });

  it('is none for good when its writer says so, and no other is', async () => {
    const { state, desk, ask } = scene();
    state.changed = false;
    expect(await ask(GAP)).toBe('refused');
    expect([GAP, OTHER_GAP].map((fault) => desk.isExplained(STREAM, fault))).toEqual([true, false]);
    expect(desk.isExplained({ ...STREAM, streamId: 's-2' }, GAP)).toBe(false);
    // The answer is of before it was found.
    expect(await ask(OTHER_GAP)).toBe('refused');
    expect(desk.isExplained(STREAM, OTHER_GAP)).toBe(false);
    state.nowMs = 5000;
    expect(await ask(OTHER_GAP)).toBe('refused');
    expect(desk.isExplained(STREAM, OTHER_GAP)).toBe(true);
    expect(state.sent).toHaveLength(2);
  });

  it('of a row that could not be read is never explained away', async () => {
    const { state, desk, ask } = scene();
    state.changed = false;
    const fault: Fault = { ...GAP, reason: 'history_row_unreadable' };
    expect(await ask(fault)).toBe('refused');
    expect(desk.isExplained(STREAM, fault)).toBe(false);
  });

  it('stays open while nobody answers, and is not claimed in a storm', async () => {
    const { state, desk, ask } = scene();
    state.changed = null;
    expect([await ask(GAP), await ask(GAP)]).toEqual(['unknown', 'unknown']);
    expect([state.sent.length, desk.isExplained(STREAM, GAP)]).toEqual([1, false]);
  });

  it('is forgotten when there are too many others', async () => {
    const { state, ask } = scene();
    for (let index = 0; index < 1001; index += 1) await ask(GAP, { ...STREAM, streamId: `many-${index}` });
    await ask(GAP, { ...STREAM, streamId: 'many-1000' });
    expect(state.sent).toHaveLength(1001);
    await ask(GAP, { ...STREAM, streamId: 'many-0' });
    expect(state.sent).toHaveLength(1002);
  });
});
