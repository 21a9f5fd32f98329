import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Channels, findNamespace, namespaceName } from '../src/index.js';
import { accepted, appWith, appWithNamespaces, GLOBALS, verdict } from './samples.js';

const channels = new Channels(GLOBALS);
const chat = appWithNamespaces({ name: 'chat' });
const patterned = appWithNamespaces({
  name: 'chat',
  channel_name_pattern: '^chat:[a-z0-9-]+$',
  max_channel_name_length: 20,
  allow_user_limited_channels: true,
});

describe('namespace of a channel', () => {
  it.each([
    ['foo', 'ok'],
    ['private-foo:1', 'namespace_unknown'],
    ['private-chat:1', 'ok'],
    ['presence-cache-chat:1:2', 'ok'],
    ['other:1', 'namespace_unknown'],
    [':1', 'namespace_unknown'],
    ['private-:1', 'namespace_unknown'],
    ['Chat:1', 'namespace_unknown'],
    ['chat-private-chat:1', 'namespace_unknown'],
  ])('%s in an app with chat only: %s', (name, expected) => {
    expect(verdict(channels.subscription(chat, name, 1))).toBe(expected);
    expect(verdict(channels.publishTarget(chat, name))).toBe(expected);
  });

  it.each(['a:b', 'room:1', ':', 'private-a:b'])(
    'accepts %s for subscriptions and publishes when the app has no namespaces',
    (name) => {
      expect(verdict(channels.subscription(appWith(), name, 1))).toBe('ok');
      expect(verdict(channels.subscription(appWith(), name, 2))).toBe('ok');
      expect(verdict(channels.publishTarget(appWith(), name))).toBe('ok');
    },
  );

  it.each([
    ['chat:lobby', 'ok'],
    ['private-chat:lobby', 'ok'],
    ['chat:Lobby', 'pattern_mismatch'],
    ['chat:lobby#ada,bob', 'ok'],
    ['chat:#ada', 'pattern_mismatch'],
    ['chat:' + 'a'.repeat(15), 'ok'],
    ['chat:' + 'a'.repeat(16), 'too_long'],
    ['private-chat:' + 'a'.repeat(8), 'too_long'],
    ['elsewhere-without-colon-is-longer', 'ok'],
  ])('applies its pattern and length to %s: %s', (name, expected) => {
    expect(verdict(channels.subscription(patterned, name, 1))).toBe(expected);
    expect(verdict(channels.publishTarget(patterned, name))).toBe(expected);
  });

  it('is part of the answer', () => {
    expect(accepted(channels.publishTarget(chat, 'private-chat:1')).namespace?.name).toBe('chat');
    expect(accepted(channels.publishTarget(chat, 'private-chat')).namespace).toBeNull();
  });

  it('is the text between the type prefix and the first colon before any #', () => {
    const piece = fc.constantFrom('chat', 'a', ':', '#', 'private-', 'cache-', 'presence-', '');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 7 }), (pieces) => {
        const name = pieces.join('');
        const match = /^(?:private-(?:encrypted-)?(?:cache-)?|presence-(?:cache-)?|cache-)?([^:#]*):/.exec(
          name,
        );
        const expected = match?.[1] ?? null;
        expect(namespaceName(name)).toBe(expected);
        const found = findNamespace(chat.namespaces, name);
        const word = typeof found === 'string' ? found : found.name;
        expect(word).toBe(expected === null ? 'none' : expected === 'chat' ? 'chat' : 'rejected');
      }),
      { numRuns: 500 },
    );
  });
});
