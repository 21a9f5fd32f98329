import { namespaceName } from '@carillon/channels';
import { describe, expect, it } from 'vitest';
import { entryTakes } from '../../src/delivery/entry-filter.js';
import { entry } from '../samples.js';

const takes = (filter: object, channel: string): boolean =>
  entryTakes(entry({ filter }), { name: 'channel_occupied', channel }, namespaceName);

describe('a receiver takes an event', () => {
  it('that it lists by its exact name', () => {
    const two = entry({ event_types: ['member_added', 'cache_miss'] });
    expect(entryTakes(two, { name: 'cache_miss', channel: 'a' }, namespaceName)).toBe(true);
    expect(entryTakes(two, { name: 'channel_occupied', channel: 'a' }, namespaceName)).toBe(false);
  });

  it('whatever the channel when it has no filter, or an empty one', () => {
    expect(entryTakes(entry(), { name: 'channel_occupied', channel: 'x:y' }, namespaceName)).toBe(true);
    expect(takes({}, 'anything')).toBe(true);
  });

  it('by how the channel begins and ends', () => {
    expect(takes({ channel_prefix: 'orders' }, 'orders-1')).toBe(true);
    expect(takes({ channel_prefix: 'orders' }, 'news')).toBe(false);
    expect(takes({ channel_prefix: 'orders' }, 'private-orders')).toBe(false);
    expect(takes({ channel_suffix: '-eu' }, 'orders-eu')).toBe(true);
    expect(takes({ channel_suffix: '-eu' }, 'orders-eu-1')).toBe(false);
  });

  it('by a pattern that may occur anywhere; one that does not compile lets nothing through', () => {
    expect(takes({ channel_pattern: 'r[0-9]+' }, 'order12')).toBe(true);
    expect(takes({ channel_pattern: '^order[0-9]+$' }, 'my-order12')).toBe(false);
    expect(takes({ channel_pattern: '(' }, '(')).toBe(false);
  });

  it('by a pattern in time linear in the name', () => {
    const channel = `${'a'.repeat(50_000)}!`;
    expect(takes({ channel_pattern: '^(a+)+$' }, channel)).toBe(false);
  });

  it('by its namespace, without the prefix of its type', () => {
    for (const channel of [
      'chat:1',
      'private-chat:1',
      'presence-cache-chat:1',
      'private-encrypted-chat:a:b',
    ]) {
      expect(takes({ channel_namespace: 'chat' }, channel)).toBe(true);
      expect(takes({ channel_namespaces: ['news', 'chat'] }, channel)).toBe(true);
      expect(takes({ channel_namespaces: ['news'] }, channel)).toBe(false);
    }
    expect(takes({ channel_namespace: 'chat' }, 'chat')).toBe(false);
    expect(takes({ channel_namespaces: [] }, 'chat:1')).toBe(false);
  });

  it('only when everything holds that its filter names', () => {
    const filter = {
      channel_prefix: 'private-',
      channel_suffix: '-eu',
      channel_pattern: 'x',
      channel_namespace: 'n',
    };
    expect(takes(filter, 'private-n:x-eu')).toBe(true);
    for (const channel of ['n:x-eu', 'private-n:x-us', 'private-n:y-eu', 'private-m:x-eu']) {
      expect(takes(filter, channel)).toBe(false);
    }
  });
});
