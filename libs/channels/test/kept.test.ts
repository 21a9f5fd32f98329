import { describe, expect, it } from 'vitest';
import { Channels, keptOf } from '../src/index.js';
import { accepted, appWith, GLOBALS } from './samples.js';

const kept = (policy: object, name = 'orders', isEphemeral = false) =>
  keptOf(accepted(new Channels(GLOBALS).publishTarget(appWith(policy), name)), isEphemeral);

const RECOVERY = { connection_recovery: { enabled: true, buffer_ttl_seconds: 5, max_buffer_size: 7 } };
const NOTHING = { history: null, replay: null, isEphemeral: false };

describe('what is kept of an event', () => {
  it('is nothing where neither is on', () => {
    expect(kept({})).toEqual(NOTHING);
  });

  it('is a place among the newest where clients may go on, as much as the app says', () => {
    expect(kept(RECOVERY)).toEqual({
      ...NOTHING,
      replay: { enabled: true, maxCount: 7, maxAgeMs: 5000 },
    });
    expect(new Channels(GLOBALS).recovery(appWith(RECOVERY))).toMatchObject({ maxCount: 7 });
  });

  it('is the history alone where there is one', () => {
    const both = kept({ ...RECOVERY, history: { enabled: true } });
    expect(both.history?.enabled).toBe(true);
    expect(both.replay).toBeNull();
  });

  it('is nothing of what is worthless a moment later, or said to one user', () => {
    expect(kept(RECOVERY, 'orders', true)).toEqual({ ...NOTHING, isEphemeral: true });
    expect(kept(RECOVERY, '#server-to-user-u')).toEqual(NOTHING);
  });
});
