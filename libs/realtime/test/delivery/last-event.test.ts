import { expect, it } from 'vitest';
import { LaneScene } from './lane-scene.js';

const BOUNDS = { maxFrames: 1, maxBytes: 300, slowBytes: 1, disconnects: true };
const LAST = { kind: 'token_revoked' } as const;
const FAREWELL = ['token_revoked', 'failed'];

it('the last event of a client that does not read comes right before the error frame, and costs nobody its close code', () => {
  const { outlet, clients } = new LaneScene({ bounds: BOUNDS, slackBytes: 600, roomBytes: 0 });
  const [slow, quick] = clients;
  if (slow === undefined || quick === undefined) throw new Error('a scene has two clients');
  slow.send('on its way');
  slow.send('waits, and nothing more may');
  expect(slow.subscriber.lane?.size).toBe(1);
  for (const { subscriber, native } of [slow, quick]) {
    outlet.close(subscriber, 'token_revoked', LAST);
    expect([subscriber.endedFor, native.closeCode]).toEqual(['token_revoked', 4009]);
    expect([...native.received, ...native.underWay].slice(-2)).toEqual(FAREWELL);
    outlet.close(subscriber, 'over_capacity');
    expect(subscriber.endedFor).toBe('token_revoked');
  }
});
