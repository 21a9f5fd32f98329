import { describe, expect, it } from 'vitest';
import { outletBounds } from '../src/settings.js';
import { config } from './samples.js';

describe('what may wait for one client', () => {
  it('is 1000 frames and 4 MiB, and a client counts as slow from a full write buffer on', () => {
    expect(outletBounds(config())).toMatchObject({
      maxFrames: 1000,
      maxBytes: 4_194_304,
      slowBytes: 16_384,
      disconnects: true,
    });
  });

  it.each(['0', 'none'])('is without a bound at %s', (value) => {
    const env = { WEBSOCKET_MAX_MESSAGES: value, WEBSOCKET_MAX_BYTES: value };
    expect(outletBounds(config(env))).toMatchObject({
      maxFrames: Infinity,
      maxBytes: Infinity,
      slowBytes: 16_384,
    });
  });

  it('is looked at from its own bound on when that is below the write buffer', () => {
    expect(outletBounds(config({ WEBSOCKET_MAX_BYTES: '1000' }))).toMatchObject({
      maxBytes: 1000,
      slowBytes: 1000,
    });
  });
});
