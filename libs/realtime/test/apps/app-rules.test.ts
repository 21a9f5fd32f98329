import { verifyChannelAuth, prepareSigningKey, signChannelAuth } from '@carillon/auth';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../src/apps/app-rules.js';
import { app } from '../samples.js';

const frames = (more: object) => rulesOf(app({ limits: { message_rate_limit: more } })).frames;

describe('what an app lets its connections do', () => {
  it('is nothing beyond the plain channels when nothing is set', () => {
    const rules = rulesOf(app());
    expect(rules).toMatchObject({
      frames: null,
      clientEvents: null,
      clientMessages: false,
      signin: false,
      watchlists: false,
      subscriptionCounts: false,
    });
  });

  it('follows the features of the record', () => {
    const features = {
      enable_client_messages: true,
      enable_user_authentication: true,
      enable_watchlist_events: true,
      enable_subscription_count_events: true,
    };
    expect(rulesOf(app({ features }))).toMatchObject({
      clientMessages: true,
      signin: true,
      watchlists: true,
      subscriptionCounts: true,
    });
  });

  it.each([
    ['off', { enabled: false, max_attempts: 5 }, null],
    [
      'without a number, which is 60 a minute',
      { enabled: true },
      { attempts: 60, lengthMs: 60_000, terminates: false },
    ],
    ['of 0, which is no limit', { enabled: true, max_attempts: 0 }, null],
    [
      'in full',
      { enabled: true, max_attempts: 5, decay_seconds: 2, terminate_on_limit: true },
      { attempts: 5, lengthMs: 2000, terminates: true },
    ],
  ])('counts frames by a limit %s', (_name, limit, expected) => {
    expect(frames(limit)).toEqual(expected);
  });

  it.each([
    ['0, which is no limit', { max_client_events_per_second: 0 }, null],
    ['2', { max_client_events_per_second: 2 }, { attempts: 2, lengthMs: 1000, terminates: false }],
    [
      '2 in 5 seconds that closes',
      { max_client_events_per_second: 2, decay_seconds: 5, terminate_on_limit: true },
      { attempts: 2, lengthMs: 5000, terminates: true },
    ],
  ])('counts client events by a limit of %s', (_name, limits, expected) => {
    expect(rulesOf(app({ limits })).clientEvents).toEqual(expected);
  });

  it.each([
    [undefined, 'https://anywhere.example', true],
    [undefined, '', true],
    [[], '', true],
    [['*.example.com'], 'https://a.example.com', true],
    [['*.example.com'], 'https://example.com', true],
    [['*.example.com'], 'https://badexample.com', false],
    [['*.example.com'], '', false],
    [['*'], '', true],
    [['https://a.example', 'localhost:3000'], 'HTTP://LOCALHOST:3000', true],
    [['https://a.example', 'localhost:3000'], 'http://localhost', false],
  ])('with origins %j lets %j in: %s', (allowed_origins, origin, expected) => {
    const channels = allowed_origins === undefined ? {} : { allowed_origins };
    expect(rulesOf(app({ channels })).allowsOrigin(origin)).toBe(expected);
  });

  it('checks signatures with the secret of the app, and is read once', () => {
    const one = app();
    const rules = rulesOf(one);
    expect(rulesOf(one)).toBe(rules);
    const subject = { socketId: '1.1', channel: 'private-a' };
    const own = signChannelAuth(
      prepareSigningKey({ appId: 'shop', key: 'shop-key', secret: 'shop-secret' }),
      subject,
    );
    expect(verifyChannelAuth(rules.key, subject, own)).toBe(true);
    expect(verifyChannelAuth(rules.key, subject, `${own.slice(0, -1)}x`)).toBe(false);
  });
});
