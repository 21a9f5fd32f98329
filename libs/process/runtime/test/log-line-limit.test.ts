import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WarnLimit } from '../src/logging/warn-limit.js';
import { capturedLog } from './fixtures.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('warning limit', () => {
  it('prints one warning a second per site and says how many it kept back', () => {
    const { logging, records } = capturedLog();
    const log = logging.for('service::gateway');
    for (let i = 0; i < 5; i += 1) log.warn('slow consumer', { i });
    log.warn('another site');
    logging.for('service::api').warn('slow consumer');
    vi.advanceTimersByTime(1000);
    log.warn('slow consumer');
    vi.advanceTimersByTime(1000);
    log.warn('slow consumer');
    expect(records().map(({ fields }) => fields)).toEqual([
      { message: 'slow consumer', i: 0 },
      { message: 'another site' },
      { message: 'slow consumer' },
      { message: 'slow consumer', suppressed: 4 },
      { message: 'slow consumer' },
    ]);
  });

  it('limits warnings only', () => {
    const { logging, lines } = capturedLog();
    const log = logging.for('service::ops');
    for (let i = 0; i < 3; i += 1) {
      log.error('broken');
      log.info('note');
    }
    expect(lines).toHaveLength(6);
  });

  it('remembers a bounded number of sites', () => {
    const limit = new WarnLimit();
    for (let i = 0; i < 1001; i += 1) limit.admit(`site ${i}`, 0);
    expect(limit.admit('site 0', 1)).toBe(0);
    expect(limit.admit('site 1000', 1)).toBeNull();
  });
});
