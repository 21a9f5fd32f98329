import { randomUUID } from 'node:crypto';
import type { CommitRecordOf } from '@carillon/contracts';
import type { PresencePageBody } from '@carillon/history-reader';
import { describe, expect, it } from 'vitest';
import { openDurable } from './durable.js';
import { call, type CallOptions } from './scene.js';

const PATH = '/channels/presence-lobby/presence/history';
const env = { PRESENCE_HISTORY_ENABLED: 'true' };

type Transition = Pick<CommitRecordOf<'presence'>, 'cause' | 'event' | 'user_id'>;

const transition = (one: Transition): CommitRecordOf<'presence'> => ({
  op: 'presence',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel: 'presence-lobby',
  ...one,
  ...(one.event === 'member_removed' ? {} : { connection_id: '1.2', user_info: { name: one.user_id } }),
  policy: {
    history_ms: 60_000,
    versions_ms: null,
    max_messages: null,
    max_bytes: null,
    versioned: false,
    cache: false,
    ai: null,
  },
});

const came = (user: string) => transition({ event: 'member_added', cause: 'join', user_id: user });
const went = (user: string) => transition({ event: 'member_removed', cause: 'disconnect', user_id: user });

async function lobby() {
  const scene = await openDurable({ env });
  for (const one of [came('u1'), came('u2'), went('u1')]) await scene.commits.commit([one]);
  const get = (path: string, query: CallOptions['query'] = {}) =>
    call(scene, 'GET', `${PATH}${path}`, undefined, { query });
  return { ...scene, get };
}

describe('the presence history of a channel', () => {
  it('has who came and went, in pages', async () => {
    const { get } = await lobby();
    const { status, body } = await get('', { direction: 'oldest_first', limit: '2' });
    expect(status).toBe(200);
    const page = body as PresencePageBody;
    expect(page.items.map(({ event, user_id: user }) => [event, user])).toEqual([
      ['member_added', 'u1'],
      ['member_added', 'u2'],
    ]);
    expect(page.items[0]?.presence_event.user_info).toEqual({ name: 'u1' });
    expect(page.continuity).toMatchObject({ retained_events: 3, degraded: false, complete: false });
    const next = await get('', { direction: 'oldest_first', cursor: page.next_cursor ?? '' });
    expect(next.body).toMatchObject({
      items: [{ event: 'member_removed', cause: 'disconnect', presence_event: { user_info: null } }],
      has_more: false,
      stream_state: { continuity_proven: true },
    });
  });

  it('tells its state, and who was there when', async () => {
    const { get } = await lobby();
    expect((await get('/state')).body).toMatchObject({
      channel: 'presence-lobby',
      stream: { next_serial: 4, retained: { retained_events: 3 } },
    });
    expect((await get('/snapshot')).body).toMatchObject({
      member_count: 1,
      members: [{ user_id: 'u2', last_event_serial: 2 }],
      snapshot_serial: 3,
    });
    expect((await get('/snapshot', { at_serial: '2' })).body).toMatchObject({ member_count: 2 });
    expect((await get('/snapshot', { at: 'x' })).status).toBe(400);
  });

  it('begins anew after a reset', async () => {
    const scene = await lobby();
    const { body } = await call(scene, 'POST', `${PATH}/reset`, {
      confirm_channel: 'presence-lobby',
      confirm_operation: 'reset',
      reason: 'r',
    });
    expect(body).toMatchObject({
      ok: true,
      purged_events: 3,
      previous_stream_id: expect.any(String),
      stream: { next_serial: 1, retained: { retained_events: 0 } },
    });
    expect((await scene.get('/snapshot')).body).toMatchObject({ members: [], snapshot_serial: null });
  });

  it.each(['', '/state', '/snapshot'])(
    '%s is not there for channels without members, and where it is off',
    async (path) => {
      const on = await openDurable({ env });
      expect(await call(on, 'GET', `/channels/orders/presence/history${path}`)).toMatchObject({
        status: 400,
      });
      const off = await openDurable();
      expect((await call(off, 'GET', `${PATH}${path}`)).body).toMatchObject({
        code: 'feature_disabled',
        status: 422,
      });
    },
  );
});
