import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Channels, userLimitRefusal } from '../src/index.js';
import { accepted, appWithNamespaces, GLOBALS, verdict } from './samples.js';

const channels = new Channels(GLOBALS);
const app = appWithNamespaces({ name: 'ns', allow_user_limited_channels: true }, { name: 'open' });

describe('user-limited channels', () => {
  it.each([
    ['ns:room#alice,bob', 'ok'],
    ['private-ns:room#alice', 'ok'],
    ['ns:room#a-Z_0=@.', 'ok'],
    ['ns:room#', 'user_limit_malformed'],
    ['ns:room#alice,', 'user_limit_malformed'],
    ['ns:room#,alice', 'user_limit_malformed'],
    ['ns:room#alice#bob', 'user_limit_malformed'],
    ['ns:room#alice;bob', 'user_limit_malformed'],
    ['ns:room#a:b', 'user_limit_malformed'],
    ['ns:room#alice, bob', 'characters'],
    ['open:room#alice', 'user_limit_not_allowed'],
    ['room#alice', 'user_limit_not_allowed'],
  ])('%s is %s', (name, expected) => {
    expect(verdict(channels.subscription(app, name, 1))).toBe(expected);
    expect(verdict(channels.publishTarget(app, name))).toBe(expected);
  });

  it.each(['#x', 'private-#x', '#server-to-user-'])(
    'need text before the # to subscribe, not to publish: %s',
    (name) => {
      expect(verdict(channels.subscription(app, name, 2))).toBe('user_limit_malformed');
      expect(verdict(channels.publishTarget(app, name))).toBe('ok');
    },
  );

  it('admit the listed users and nobody without an identity', () => {
    const channel = accepted(channels.subscription(app, 'ns:r#alice', 1));
    expect(userLimitRefusal(channel, 'alice')).toBeNull();
    expect(userLimitRefusal(channel, 'bob')).toMatchObject({ reason: 'user_not_listed', frame: 'forbidden' });
    expect(userLimitRefusal(channel, null)?.reason).toBe('user_not_listed');
    expect(userLimitRefusal(accepted(channels.subscription(app, 'ns:r', 1)), null)).toBeNull();
  });

  it('limit their meta channel as well', () => {
    const channel = accepted(channels.subscription(app, '[meta]ns:r#alice', 2));
    expect(userLimitRefusal(channel, 'alice')).toBeNull();
    expect(userLimitRefusal(channel, 'bob')?.reason).toBe('user_not_listed');
  });

  it('admit exactly the ids of the list', () => {
    const piece = fc.constantFrom('alice', 'b.o@b', ',', '#', ';', ':', 'x');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const suffix = pieces.join('');
        const result = channels.subscription(app, `ns:room#${suffix}`, 2);
        const valid = /^[A-Za-z0-9\-_=@.]+(,[A-Za-z0-9\-_=@.]+)*$/.test(suffix);
        expect(verdict(result)).toBe(valid ? 'ok' : 'user_limit_malformed');
        if (!result.accepted || result.form !== 'ordinary') return;
        expect([...(result.users ?? [])]).toEqual([...new Set(suffix.split(','))]);
      }),
    );
  });
});
