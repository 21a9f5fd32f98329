import { expect, it } from 'vitest';
import { Members } from '../src/cluster/members.js';

it('one node leads, the same for all that know the same', () => {
  const ids = ['b', 'c', 'a'];
  const leaders = ids.filter((own) => {
    const members = new Members();
    for (const id of ids) if (id !== own) members.heartbeat(id, 'interest', 0);
    return members.isLeader(own);
  });
  expect(leaders).toEqual(['a']);
  expect(new Members().isLeader('alone')).toBe(true);
});

it('a node becomes known by its heartbeat alone, and silent without a word', () => {
  const members = new Members();
  members.heard('api', 1);
  expect(members.heartbeat('gw', 'broadcast', 1)).toBe('new');
  expect(members.heartbeat('gw', 'interest', 2)).toBe('known');
  expect(members.nodeIds).toEqual(['gw']);
  members.heard('gw', 5);
  expect(members.silentSince(5)).toEqual([]);
  expect(members.silentSince(6)).toEqual(['gw']);
  members.excuse(7);
  expect(members.silentSince(6)).toEqual([]);
  expect(members.remove('gw')).toBe(true);
  expect(members.remove('gw')).toBe(false);
});

it('somebody who hears the shared address alone is noticed until gone', () => {
  const members = new Members();
  members.heartbeat('one', 'interest', 0);
  expect(members.someBroadcast).toBe(false);
  members.heartbeat('two', 'broadcast', 0);
  expect(members.someBroadcast).toBe(true);
  members.heartbeat('two', 'dual', 1);
  expect(members.someBroadcast).toBe(false);
  members.heartbeat('two', 'broadcast', 2);
  members.remove('two');
  expect(members.someBroadcast).toBe(false);
});
