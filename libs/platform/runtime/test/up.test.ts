import { ProcessState, type HealthStatus, type ProcessPhase } from '../src/index.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { upOfApp, upOfProcess, type AppLookup } from '../src/probes/up.js';

afterEach(() => void vi.useRealTimers());

function state(phase: ProcessPhase, status: HealthStatus = 'OK') {
  const process = new ProcessState();
  process.advance(phase);
  return { process, health: { check: vi.fn(async () => ({ status, failures: [] })) } };
}

const found = (app: { enabled: boolean } | null): AppLookup => ({ find: async () => app });

const app = async (given: ReturnType<typeof state>, apps: AppLookup) => {
  const { status, body, headers } = await upOfApp('shop', given, apps, 2000);
  expect(headers['x-health-check']).toBe(body);
  return [status, body];
};

describe('up', () => {
  it('asks no dependency while starting or draining', async () => {
    for (const phase of ['STARTING', 'DRAINING', 'STOPPED'] as const) {
      const given = state(phase);
      const word = phase === 'STARTING' ? 'STARTING' : 'DRAINING';
      expect(await upOfProcess(given)).toMatchObject({ status: 503, body: word });
      expect(await app(given, { find: () => Promise.reject(new Error('asked')) })).toEqual([503, word]);
      expect(given.health.check).not.toHaveBeenCalled();
    }
  });

  it('follows health while running, and is up while degraded', async () => {
    expect(await upOfProcess(state('RUNNING', 'OK'))).toMatchObject({ status: 200, body: 'OK' });
    expect(await upOfProcess(state('RUNNING', 'DEGRADED'))).toMatchObject({ status: 200, body: 'DEGRADED' });
    expect(await upOfProcess(state('RUNNING', 'ERROR'))).toMatchObject({ status: 503, body: 'ERROR' });
  });

  it('knows unknown and disabled apps', async () => {
    expect(await app(state('RUNNING', 'DEGRADED'), found({ enabled: true }))).toEqual([200, 'DEGRADED']);
    expect(await app(state('RUNNING'), found(null))).toEqual([404, 'NOT_FOUND']);
    expect(await app(state('RUNNING'), found({ enabled: false }))).toEqual([503, 'ERROR']);
    expect(await app(state('RUNNING', 'ERROR'), found({ enabled: true }))).toEqual([503, 'ERROR']);
  });

  it('is an error when the app store fails or does not answer in time', async () => {
    expect(await app(state('RUNNING'), { find: () => Promise.reject(new Error('down')) })).toEqual([
      503,
      'ERROR',
    ]);
    vi.useFakeTimers();
    const answer = app(state('RUNNING'), { find: () => new Promise(() => undefined) });
    await vi.advanceTimersByTimeAsync(2000);
    expect(await answer).toEqual([503, 'ERROR']);
  });
});
