import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Health, type HealthCheck, type Severity } from '../src/index.js';
import { capturedLog, testMetrics } from './fixtures.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function health(health_check_cache_ms = 0, health_check_timeout_ms = 2000) {
  const { logging, records } = capturedLog();
  const metrics = testMetrics();
  const options = { health_check_timeout_ms, health_check_cache_ms };
  return { health: new Health(options, metrics, logging.for('service::ops')), records, metrics };
}

const part = (name: string, severity: Severity, check: HealthCheck['check']): HealthCheck => ({
  part: name,
  severity,
  check,
});
const well = async (): Promise<void> => undefined;
const failing = async (): Promise<void> => {
  throw new Error('redis://u:pw@cache refused');
};
const silent = (): Promise<void> => new Promise(() => undefined);

describe('health', () => {
  it('is OK, DEGRADED or ERROR by the worst failing severity', async () => {
    const { health: all } = health();
    expect((await all.check()).status).toBe('OK');
    all.register(part('adapter', 'critical', well));
    expect((await all.check()).status).toBe('OK');
    all.register(part('webhook queue', 'non-critical', failing));
    expect((await all.check()).status).toBe('DEGRADED');
    all.register(part('cache', 'critical', failing));
    expect(await all.check()).toEqual({
      status: 'ERROR',
      failures: [
        { part: 'webhook queue', severity: 'non-critical', message: 'redis://<redacted>@cache refused' },
        { part: 'cache', severity: 'critical', message: 'redis://<redacted>@cache refused' },
      ],
    });
  });

  it('ends a silent check at the timeout, all checks side by side, and tells it to stop', async () => {
    const { health: all } = health();
    let aborted = false;
    all.register(part('cache', 'critical', silent));
    all.register(
      part('adapter', 'critical', (signal) => {
        signal.addEventListener('abort', () => (aborted = true));
        return silent();
      }),
    );
    const result = all.check();
    await vi.advanceTimersByTimeAsync(2000);
    expect((await result).failures.map(({ message }) => message)).toEqual([
      'cache health check timeout',
      'adapter health check timeout',
    ]);
    expect(aborted).toBe(true);
  });

  it('shares one running round and, for the cache time, its result', async () => {
    const { health: all } = health(1000);
    const check = vi.fn(async () => {
      await new Promise((done) => setTimeout(done, 500));
    });
    all.register(part('cache', 'critical', check));
    const probes = [all.check(), all.check(), all.check()];
    await vi.advanceTimersByTimeAsync(500);
    await Promise.all(probes);
    await all.check();
    expect(check).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1000);
    const again = all.check();
    await vi.advanceTimersByTimeAsync(500);
    await again;
    expect(check).toHaveBeenCalledTimes(2);
  });

  it('logs a failure when it begins, every minute while it lasts, and its end', async () => {
    const { health: all, records } = health();
    let broken = true;
    all.register(part('cache', 'critical', () => (broken ? failing() : well())));
    for (let second = 0; second < 90; second += 1) {
      await all.check();
      await vi.advanceTimersByTimeAsync(1000);
    }
    broken = false;
    await all.check();
    await all.check();
    expect(records().map(({ level, fields }) => [level, fields.message])).toEqual([
      ['WARN', 'health check of cache failed'],
      ['WARN', 'health check of cache failed'],
      ['INFO', 'health check passes again'],
    ]);
  });

  it('shows every part as a gauge', async () => {
    const { health: all, metrics } = health();
    all.register(part('cache', 'critical', failing));
    all.register(part('adapter', 'critical', well));
    await all.check();
    const text = await metrics.text();
    expect(text).toContain('service_dependency_up{dependency="cache"} 0');
    expect(text).toContain('service_dependency_up{dependency="adapter"} 1');
  });

  it('follows a part though nobody asks', async () => {
    const { health: all, metrics } = health();
    let broken = false;
    all.register(part('cache', 'critical', () => (broken ? failing() : well())));
    const end = all.follow();
    await vi.advanceTimersByTimeAsync(10);
    expect(await metrics.text()).toContain('service_dependency_up{dependency="cache"} 1');
    broken = true;
    await vi.advanceTimersByTimeAsync(5000);
    expect(await metrics.text()).toContain('service_dependency_up{dependency="cache"} 0');
    end();
    broken = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await metrics.text()).toContain('service_dependency_up{dependency="cache"} 0');
  });

  it('does not pile up checks that never end', async () => {
    const { health: all } = health(0, 10);
    const check = vi.fn(silent);
    all.register(part('cache', 'critical', check));
    for (let round = 0; round < 30; round += 1) {
      const result = all.check();
      await vi.advanceTimersByTimeAsync(10);
      expect((await result).status).toBe('ERROR');
    }
    expect(check).toHaveBeenCalledTimes(10);
  });

  it('refuses a second check of one part', () => {
    const { health: all } = health();
    all.register(part('cache', 'critical', well));
    expect(() => all.register(part('cache', 'critical', well))).toThrow('registered twice');
  });
});
