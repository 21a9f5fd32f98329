import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalChannel } from '../../src/channels/local-channel.js';
import { Positions } from '../../src/recovery/positions.js';
import type { Past } from '../../src/recovery/past.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const CHANNEL = {
  name: 'orders',
  hub: { appId: 'shop' },
  about: { policy: { history: { enabled: true }, recovery: { enabled: true } } },
} as unknown as LocalChannel;
const STANDING = { streamId: 's', serial: 9, historySerial: 7 };

/** Positions in a store that is unavailable for the first `times` requests. */
function away(times: number): Positions {
  let asked = 0;
  const standing = async () => {
    asked += 1;
    if (asked <= times) throw new Error('away');
    return STANDING;
  };
  const durable = {
    follow: () => undefined,
    leave: () => undefined,
    streams: { known: () => null, standing },
  };
  return new Positions({ durable, sequenced: null, past: {} as unknown as Past });
}

describe('where a subscription begins', () => {
  it('is asked again while the store is away for a moment', async () => {
    const attached = away(3).attach(CHANNEL);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await attached).toEqual({
      standing: STANDING,
      attachSerial: 7,
      position: { streamId: 's', serial: 9 },
    });
  });

  it('is given up once it was not told for 3 s', async () => {
    const gaveUp = vi.fn();
    away(Infinity).attach(CHANNEL).catch(gaveUp);
    await vi.advanceTimersByTimeAsync(2500);
    expect(gaveUp).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(500);
    expect(gaveUp).toHaveBeenCalledOnce();
  });
});
