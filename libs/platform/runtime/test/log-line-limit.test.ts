import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LineLimit } from '../src/logging/line-limit.js';
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

  it('prints ten errors a second per site, and everything that is only noted', () => {
    const { logging, records } = capturedLog();
    const log = logging.for('service::ops');
    for (let i = 0; i < 30; i += 1) {
      log.error('broken');
      log.info('note');
    }
    vi.advanceTimersByTime(1000);
    log.error('broken');
    const levels = records().map(({ level }) => level);
    expect(levels.filter((level) => level === 'ERROR')).toHaveLength(11);
    expect(levels.filter((level) => level === 'INFO')).toHaveLength(30);
    expect(records().at(-1)?.fields).toEqual({ message: 'broken', suppressed: 20 });
  });

  it('remembers a bounded number of sites', () => {
    const limit = new LineLimit(1);
    for (let i = 0; i < 1001; i += 1) limit.admit(`site ${i}`, 0);
    expect(limit.admit('site 0', 1)).toBe(0);
    expect(limit.admit('site 1000', 1)).toBeNull();
  });
});
