import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addressOf,
  after,
  corner,
  messageIn,
  NOTHING,
  openPostgres,
  type OpenedPostgres,
  recordAt,
  streamIn,
  wantedOf,
} from './scene.js';
import { AT_ONCE, watched } from './watched.js';

describe('batches with changes of messages over postgres', () => {
  let end: () => Promise<void>;
  let one: OpenedPostgres;
  let other: OpenedPostgres;
  beforeAll(async () => {
    const { url, end: ended } = await corner();
    end = ended;
    [one, other] = await Promise.all([openPostgres(url), openPostgres(url)]);
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await end();
  });

  it('know messages as they left them, until somebody else changes one or asks again', async () => {
    const [mine, others] = [watched(one.database), watched(other.database)];
    const address = addressOf('living');
    const state = { address, messageSerial: 'm', whole: false, appends: 1, bytes: 1, keepMs: 0 };
    const hash = 'ab'.repeat(32);
    /** Changes a message; returns its found state and the statements sent. */
    const change = async (
      { store, asked }: ReturnType<typeof watched>,
      name: string,
      { whole = false, hashes = [] as string[], operation = false, isNew = false } = {},
    ) => {
      asked();
      const messages = {
        states: isNew ? [] : [{ ...state, whole }],
        operations: hashes.map((one_) => ({ address, hash: one_ })),
        annotations: [],
        summaries: [],
        known: [],
      };
      const { found } = await store.commit(wantedOf([address], { messages }), (what) => {
        const stream = streamIn(what, address);
        const version = { messageSerial: 'm', versionSerial: name, action: 'update' } as const;
        const record = {
          ...recordAt(stream, version),
          ...(operation ? { operation: { hash, fingerprint: hash } } : {}),
        };
        const before = what.messages?.states[0] ?? messageIn(stream);
        const next = { ...before, name, versionSerial: name, data: isNew ? { text: '"a"' } : null };
        return {
          found: what,
          changes: {
            ...NOTHING,
            streams: [after(stream, record)],
            records: [record],
            messages: { states: [next], annotations: [], summaries: [] },
          },
        };
      });
      const { states, operations } = found.messages ?? { states: [], operations: [] };
      return { was: states.map((one_) => [one_.name, one_.data]), operations, ways: asked() };
    };
    await change(mine, 'v1', { isNew: true });
    expect(await change(mine, 'v2')).toMatchObject({ was: [['v1', null]], ways: AT_ONCE });
    const whole = await change(mine, 'v3', { whole: true });
    expect(whole.was).toEqual([['v2', { text: '"a"' }]]);
    expect(whole.ways).toEqual(['select m.stream_key, m.message_serial,', ...AT_ONCE]);
    expect((await change(others, 'v4')).was).toEqual([['v3', null]]);
    const after4 = await change(mine, 'v5');
    expect(after4.was).toEqual([['v4', null]]);
    expect(after4.ways.length).toBeGreaterThan(1);
    expect(await change(mine, 'v6', { hashes: [hash], operation: true })).toMatchObject({ ways: AT_ONCE });
    const again = await change(mine, 'v7', { hashes: [hash] });
    expect(again).toMatchObject({ was: [['v6', null]], operations: [{ hash, versionSerial: 'v6' }] });
    expect(again.ways.slice(0, 1)).toEqual(AT_ONCE);
  });
});
