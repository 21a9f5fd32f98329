import { expect, it } from 'vitest';
import { LaneScene } from './lane-scene.js';

const BOUNDS = { maxFrames: 1, maxBytes: 300, slowBytes: 1, disconnects: true };
const LAST = { event: 'service:token_expired', dataText: '{}' };
const FAREWELL = [
  '{"event":"pusher:token_expired","data":{}}',
  '{"event":"pusher:error","data":{"code":4009,"message":"capability token revoked"}}',
];

it('the last event of a client that does not read comes right before the error frame, and costs nobody its close code', () => {
  const { outlet, clients } = new LaneScene({ bounds: BOUNDS, slackBytes: 600, roomBytes: 0 });
  const [slow, quick] = clients;
  if (slow === undefined || quick === undefined) throw new Error('a scene has two clients');
  slow.send('on its way');
  slow.send('waits, and nothing more may');
  expect(slow.connection.lane?.size).toBe(1);
  for (const { connection, native } of [slow, quick]) {
    outlet.close(connection, 'token_revoked', LAST);
    expect([connection.endedFor, native.closeCode]).toEqual(['token_revoked', 4009]);
    expect([...native.received, ...native.underWay].slice(-2)).toEqual(FAREWELL);
    outlet.close(connection, 'over_capacity');
    expect(connection.endedFor).toBe('token_revoked');
  }
});
