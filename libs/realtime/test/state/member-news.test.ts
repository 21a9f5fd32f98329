import type { PresenceChange } from '@carillon/presence';
import { NO_WEBHOOKS } from '@carillon/webhooks';
import { expect, it, vi } from 'vitest';
import { MemberNews, type MemberNewsParts } from '../../src/state/member-news.js';

/** Facts announced to subscribers, to watchers of the channel, and to servers of the app. */
function told(channel: string) {
  const [announce, watch, memberAdded, memberRemoved, emit] = [vi.fn(), vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  const news = new MemberNews({
    hubs: { find: () => null },
    announcements: { announce },
    metaWatch: { announce: watch },
    watchlists: { changed: vi.fn() },
    webhooks: { ...NO_WEBHOOKS, memberAdded, memberRemoved, emit },
  } as unknown as MemberNewsParts);
  const member = { userId: 'u', userInfoText: '{"n":1}', socketId: '1.1' };
  const place = { appId: 'shop', channel, serial: 1 };
  const changes = [
    { kind: 'added', ...place, member, socketId: '1.1' },
    { kind: 'updated', ...place, member },
    { kind: 'removed', ...place, userId: 'u', userInfoText: null, cameBy: '1.1' },
  ];
  for (const change of changes) news.changed(change as PresenceChange);
  return {
    announce,
    watch,
    servers: [memberAdded, emit, memberRemoved].map(({ mock }) => mock.calls.length),
  };
}

it('of users is for subscribers, for who watches the channel, and for servers of the app', () => {
  const { announce, watch, servers } = told('presence-lobby');
  expect([announce.mock.calls.length, watch.mock.calls.length, servers]).toEqual([3, 3, [1, 1, 1]]);
});

it('of connections of one protocol is for subscribers alone', () => {
  const { announce, watch, servers } = told('lobby');
  expect([announce.mock.calls.length, watch.mock.calls.length, servers]).toEqual([3, 0, [0, 0, 0]]);
});
