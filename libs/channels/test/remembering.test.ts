import { ERRORS } from '@carillon/errors';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Channels } from '../src/index.js';
import { Recent } from '../src/recent.js';
import { REFUSALS } from '../src/refusal.js';
import { appWith, appWithNamespaces, GLOBALS, verdict } from './samples.js';

describe('remembered names', () => {
  it('give the same object again, for each use its own', () => {
    const channels = new Channels(GLOBALS);
    const app = appWith();
    expect(channels.subscription(app, 'orders', 2)).toBe(channels.subscription(app, 'orders', 1));
    expect(channels.publishTarget(app, 'orders')).toBe(channels.publishTarget(app, 'orders'));
    expect(verdict(channels.publishTarget(app, '#x'))).toBe('ok');
    expect(verdict(channels.subscription(app, '#x', 2))).toBe('user_limit_malformed');
  });

  it('do not let a V2 answer through to V1', () => {
    const channels = new Channels(GLOBALS);
    const app = appWith();
    expect(verdict(channels.subscription(app, 'news.*', 2))).toBe('ok');
    expect(verdict(channels.subscription(app, 'news.*', 1))).toBe('wildcard_needs_v2');
    expect(verdict(channels.subscription(app, 'news.*', 2))).toBe('ok');
  });

  it('go with the app, so that a changed one is judged anew', () => {
    const channels = new Channels(GLOBALS);
    expect(verdict(channels.publishTarget(appWithNamespaces({ name: 'a' }), 'a:1'))).toBe('ok');
    expect(verdict(channels.publishTarget(appWithNamespaces({ name: 'b' }), 'a:1'))).toBe(
      'namespace_unknown',
    );
  });

  it('do not include long ones, which would make the memory large', () => {
    const channels = new Channels(GLOBALS);
    const app = appWith({ limits: { max_channel_name_length: 0 } });
    const long = 'a'.repeat(1001);
    expect(channels.publishTarget(app, long)).toEqual(channels.publishTarget(app, long));
    expect(channels.publishTarget(app, long)).not.toBe(channels.publishTarget(app, long));
    expect(channels.subscription(app, long, 2)).not.toBe(channels.subscription(app, long, 2));
  });

  it('are never more than the bound, and never wrong', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 12 })), (keys) => {
        const recent = new Recent<number>(6);
        for (const key of keys) {
          if (recent.get(String(key)) === undefined) recent.put(String(key), key);
          expect(recent.get(String(key))).toBe(key);
          expect(recent.size).toBeLessThanOrEqual(6);
        }
      }),
    );
  });

  it('stay while they are used', () => {
    const recent = new Recent<number>(6);
    recent.put('used', 0);
    for (let other = 1; other < 100; other++) {
      recent.put(`other-${other}`, other);
      expect(recent.get('used')).toBe(0);
    }
    expect(recent.get('other-1')).toBeUndefined();
  });
});

describe('reasons of a refusal', () => {
  it.each(Object.entries(REFUSALS))('%s has its code on both sides', (_, { frame, http }) => {
    expect(ERRORS[frame].frameCode).toBe(frame === 'forbidden' ? 4009 : 4300);
    expect(ERRORS[http].status).toBe(frame === 'forbidden' ? 403 : 400);
  });
});
