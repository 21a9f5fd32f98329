import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Channels,
  metaBase,
  metaChannel,
  patternCovers,
  serverToUserChannel,
  serverToUserId,
  takesClientEvents,
  type ChannelPattern,
} from '../src/index.js';
import { accepted, appWith, appWithNamespaces, GLOBALS, verdict } from './samples.js';

const channels = new Channels(GLOBALS);
const app = appWithNamespaces({ name: 'room' }, { name: 'closed', allow_subscribe_for_client: false });

function pattern(name: string): ChannelPattern {
  const channel = accepted(channels.subscription(app, name, 2));
  if (channel.form !== 'pattern') throw new Error(channel.form);
  return channel;
}

const covers = (wildcard: string, name: string): boolean =>
  patternCovers(pattern(wildcard), accepted(channels.publishTarget(app, name)));

describe('server-to-user channels', () => {
  it.each([
    ['#server-to-user-u-17', 'ok'],
    ['#server-to-user-Ada Lövelace*[meta]#a:b', 'ok'],
    ['#server-to-user-a\u0000', 'characters'],
    ['#server-to-user-a\ud800', 'characters'],
    ['#server-to-user-' + 'ä'.repeat(92), 'ok'],
    ['#server-to-user-' + 'ä'.repeat(93), 'too_long'],
  ])('%s: %s', (name, expected) => {
    expect(verdict(channels.subscription(app, name, 1))).toBe(expected);
    expect(verdict(channels.subscription(app, name, 2))).toBe(expected);
    expect(verdict(channels.publishTarget(app, name))).toBe(expected);
  });

  it('name their user', () => {
    const channel = accepted(channels.publishTarget(app, '#server-to-user-u-17'));
    expect(channel).toMatchObject({ form: 'server_to_user', userId: 'u-17', kind: 'public' });
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (id) => serverToUserId(serverToUserChannel(id)) === id),
    );
    expect(serverToUserId('#server-to-user-')).toBeNull();
    expect(serverToUserId('private-#server-to-user-7')).toBeNull();
  });
});

describe('wildcard patterns', () => {
  it.each([
    ['*', 'ok'],
    ['news.*', 'ok'],
    ['*.eu', 'ok'],
    ['room:*', 'ok'],
    ['cache-*', 'ok'],
    ['a.*.*', 'wildcard_malformed'],
    ['news#*', 'wildcard_malformed'],
    ['news,*', 'wildcard_malformed'],
    ['private-*', 'wildcard_malformed'],
    ['presence-a*', 'wildcard_malformed'],
    ['other:*', 'namespace_unknown'],
    ['a'.repeat(200) + '*', 'too_long'],
  ])('%s on V2: %s', (name, expected) => {
    expect(verdict(channels.subscription(app, name, 2))).toBe(expected);
  });

  it.each(['news.*', 'a.*.*', 'private-*'])('do not exist on V1: %s', (name) => {
    expect(verdict(channels.subscription(app, name, 1))).toBe('wildcard_needs_v2');
  });

  it.each([
    ['news.*', 'news.eu', true],
    ['news.*', 'news.', true],
    ['news.*', 'news', false],
    ['*', 'news', true],
    ['*', 'cache-news', true],
    ['*', 'room:1', true],
    ['*', 'private-news.eu', false],
    ['*', 'presence-news', false],
    ['*', 'private-cache-news', false],
    ['*', 'private-encrypted-news', false],
    ['*', '#server-to-user-7', false],
    ['*', '#x', false],
    ['*', 'closed:1', false],
    ['aba*ba', 'ababa', true],
    ['aba*aba', 'aba', false],
    ['ab*ba', 'aba', false],
  ])('%s covers %s: %s', (wildcard, name, expected) => {
    expect(covers(wildcard, name)).toBe(expected);
  });

  it('fit like a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 });
    fc.assert(
      fc.property(text, text, text, (before, after, name) => {
        fc.pre(name !== '');
        expect(covers(`${before}*${after}`, name)).toBe(new RegExp(`^${before}.*${after}$`).test(name));
      }),
    );
  });
});

describe('meta channels', () => {
  it.each([
    ['[meta]orders', 'ok'],
    ['[meta]private-x', 'ok'],
    ['[meta]', 'meta_malformed'],
    ['[meta][meta]orders', 'meta_malformed'],
    ['[meta]#server-to-user-7', 'meta_malformed'],
    ['[meta]a*', 'characters'],
    ['[meta]bad name!', 'characters'],
    ['[meta]other:1', 'namespace_unknown'],
    ['x[meta]orders', 'characters'],
  ])('%s on V2: %s', (name, expected) => {
    expect(verdict(channels.subscription(app, name, 2))).toBe(expected);
  });

  it('do not exist on V1', () => {
    expect(verdict(channels.subscription(app, '[meta]orders', 1))).toBe('meta_needs_v2');
    expect(verdict(channels.subscription(app, '[meta]bad name!', 1))).toBe('meta_needs_v2');
  });

  it('carry their base, which decides on the signature', () => {
    const channel = accepted(channels.subscription(app, '[meta]private-room:1', 2));
    expect(channel).toMatchObject({ form: 'meta', kind: 'public' });
    expect(channel.form === 'meta' && channel.base).toMatchObject({
      name: 'private-room:1',
      traits: { signed: true },
      namespace: { name: 'room' },
    });
    expect(metaBase(metaChannel('orders'))).toBe('orders');
    expect(metaBase('orders')).toBeNull();
  });
});

describe('client events', () => {
  it.each([
    ['private-x', true],
    ['private-cache-x', true],
    ['presence-x', true],
    ['presence-cache-x', true],
    ['private-encrypted-x', false],
    ['private-encrypted-cache-x', false],
    ['x', false],
    ['cache-x', false],
    ['#server-to-user-7', false],
    ['[meta]private-x', false],
    ['x*', false],
  ])('on %s: %s', (name, expected) => {
    expect(takesClientEvents(accepted(channels.subscription(appWith(), name, 2)))).toBe(expected);
  });
});
