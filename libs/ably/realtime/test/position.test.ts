import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { continuityLost, positionText, readPosition } from '../src/position.js';

describe('where a channel is', () => {
  it('is read as it was told, whatever the stream is called', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (streamId, serial) => {
        expect(readPosition(positionText({ streamId, serial }))).toEqual({ streamId, serial });
      }),
    );
  });

  it.each(['', ':1', 'stream', 'stream:', 'stream:x', 'stream:-1', `stream:${'9'.repeat(16)}`])(
    'is not read from "%s"',
    (text) => {
      expect(readPosition(text)).toBeNull();
    },
  );

  it.each([
    ['recovery_window_exceeded', 90_004, 404],
    ['stream_id_mismatch', 90_005, 404],
    ['position_ahead_of_durable_stream', 90_005, 404],
    ['hot_replay_expired_and_durable_history_disabled', 90_003, 404],
    ['purged_range', 90_003, 404],
    ['durable_history_read_failed', 90_000, 500],
  ] as const)('is lost because of %s as %i', (reason, code, statusCode) => {
    expect(continuityLost(reason)).toMatchObject({ code, statusCode });
  });
});
