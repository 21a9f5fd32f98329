import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CLOSING_STEP_MS,
  closingSchedule,
  ProcessState,
  Shutdown,
  stopOnSignals,
  type ShutdownOptions,
} from '../src/index.js';
import { capturedLog, testMetrics } from './fixtures.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OPTIONS: ShutdownOptions = {
  shutdown_grace_period: 10,
  drain: {},
  queue_shutdown_timeout_ms: 30_000,
  server_role: 'default',
};

function shutdown(options: Partial<ShutdownOptions> = {}) {
  const { logging, records } = capturedLog();
  const process = new ProcessState();
  process.advance('RUNNING');
  const exit = vi.fn();
  const flushLog = vi.fn();
  const metrics = testMetrics();
  const created = new Shutdown(
    { ...OPTIONS, ...options },
    { process, metrics, log: logging.for('service::ops'), flushLog, exit },
  );
  return { shutdown: created, process, exit, flushLog, records, metrics };
}

const never = (): Promise<void> => new Promise(() => undefined);
const pause = (ms: number): Promise<void> => new Promise((done) => void setTimeout(done, ms));

describe('shutdown', () => {
  it('of many parts is taken for no leak', async () => {
    const { shutdown: stopping, exit } = shutdown();
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    for (let part = 0; part < 20; part += 1) stopping.onShutdown('flush', `part ${part}`, () => pause(10));
    void stopping.stop('test');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(exit).toHaveBeenCalledWith(0);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it('runs the phases in order, the work of one side by side, and exits with 0', async () => {
    const { shutdown: stop, process, exit, flushLog } = shutdown();
    const began = Date.now();
    const events: string[] = [];
    const note = (what: string): number => events.push(`${what} ${Date.now() - began}`);
    for (const phase of ['disconnect', 'leave', 'flush', 'membership', 'close', 'drain'] as const) {
      for (const name of ['a', 'b']) {
        stop.onShutdown(phase, name, async () => {
          note(`${phase} ${name}`);
          await pause(100);
        });
      }
    }
    const stopped = stop.stop('test');
    expect(process.current).toBe('DRAINING');
    await vi.advanceTimersByTimeAsync(3332);
    expect(events).toEqual(['drain a 0', 'drain b 0']);
    await vi.advanceTimersByTimeAsync(1000);
    await stopped;
    expect(events.slice(2).map((event) => event.replace(/ \d+$/, ''))).toEqual([
      'close a',
      'close b',
      'membership a',
      'membership b',
      'flush a',
      'flush b',
      'leave a',
      'leave b',
      'disconnect a',
      'disconnect b',
    ]);
    expect(process.current).toBe('STOPPED');
    expect(exit.mock.calls).toEqual([[0]]);
    expect(flushLog).toHaveBeenCalledTimes(1);
  });

  it('close runs the work of all phases without pauses and without an exit', async () => {
    const { shutdown: stop, process, exit } = shutdown();
    const ran: string[] = [];
    for (const phase of ['disconnect', 'drain'] as const)
      stop.onShutdown(phase, 'a', () => Promise.resolve(void ran.push(phase)));
    stop.onShutdown('flush', 'b', () => Promise.reject(new Error('lost')));
    await stop.close();
    expect(ran).toEqual(['drain', 'disconnect']);
    expect(process.current).toBe('STOPPED');
    expect(exit).not.toHaveBeenCalled();
  });

  it('closes nothing before the drain delay and tells how long closing may take', async () => {
    const { shutdown: stop } = shutdown();
    const close = vi.fn();
    stop.onShutdown('close', 'sockets', ({ closingMs }) => void close(closingMs));
    void stop.stop('test');
    await vi.advanceTimersByTimeAsync(3332);
    expect(close).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10);
    expect(close.mock.calls).toEqual([[6667]]);
  });

  it('paces 1000 sockets so that none closes in the first 3 s and all have by 10 s', async () => {
    const { shutdown: stop, exit } = shutdown();
    const began = Date.now();
    const closedAt: number[] = [];
    stop.onShutdown('close', 'sockets', async ({ closingMs }) => {
      for (const batch of closingSchedule(1000, closingMs)) {
        for (let socket = 0; socket < batch; socket += 1) closedAt.push(Date.now() - began);
        await pause(CLOSING_STEP_MS);
      }
    });
    const stopped = stop.stop('SIGTERM');
    await vi.advanceTimersByTimeAsync(10_000);
    await stopped;
    expect(closedAt).toHaveLength(1000);
    expect(closedAt[0]).toBeGreaterThanOrEqual(3000);
    expect(closedAt.at(-1)).toBeLessThanOrEqual(10_000);
    expect(exit).toHaveBeenCalledWith(0);
  });

  it('has the budgets of the specification', () => {
    expect(shutdown().shutdown.plan).toMatchObject({
      totalMs: 45_000,
      boundMs: { membership: 5000, flush: 5000, leave: 2000 },
    });
    const plan = (grace: number, delay_ms?: number) =>
      shutdown({ shutdown_grace_period: grace, drain: { delay_ms: delay_ms ?? null } }).shutdown.plan;
    expect(plan(10)).toMatchObject({ drainMs: 3333, closingMs: 6667 });
    expect(plan(60).drainMs).toBe(5000);
    expect(plan(60, 1000)).toMatchObject({ drainMs: 1000, closingMs: 59_000 });
    expect(plan(0)).toMatchObject({ drainMs: 0, closingMs: 0, totalMs: 35_000 });
  });

  it('skips sockets and membership on api nodes', async () => {
    const { shutdown: stop, exit } = shutdown({ server_role: 'api' });
    const work = vi.fn();
    stop.onShutdown('close', 'sockets', work);
    stop.onShutdown('membership', 'cleanup', work);
    const stopped = stop.stop('test');
    await vi.advanceTimersByTimeAsync(3400);
    await stopped;
    expect(work).not.toHaveBeenCalled();
    expect(exit).toHaveBeenCalledWith(0);
  });

  it('exits with 1 at once on a second signal', async () => {
    const { shutdown: stop, exit, metrics } = shutdown();
    stop.onShutdown('flush', 'jobs', () => pause(60_000));
    stop.signal('SIGTERM');
    expect(exit).not.toHaveBeenCalled();
    stop.signal('SIGINT');
    expect(exit.mock.calls).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(exit).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
    expect(await metrics.text()).toContain('service_draining 1');
  });

  it.each([
    ['system', 'supervisor'],
    ['supervisor', 'system'],
  ] as const)(
    'takes what %s and %s say for one signal, and exits at the second of either',
    (first, other) => {
      const { shutdown: stop, exit } = shutdown();
      stop.onShutdown('flush', 'jobs', () => pause(60_000));
      stop.signal('SIGINT', first);
      stop.signal('SIGINT', other);
      expect(exit).not.toHaveBeenCalled();
      stop.signal('SIGINT', other);
      expect(exit.mock.calls).toEqual([[1]]);
    },
  );

  it('bounds each piece of work, tells it to give up, and goes on', async () => {
    const { shutdown: stop, exit, records } = shutdown({ shutdown_grace_period: 0 });
    const left = vi.fn();
    stop.onShutdown('flush', 'receipts', ({ signal }) => {
      return new Promise<void>((done) => signal.addEventListener('abort', () => done()));
    });
    stop.onShutdown('leave', 'node', left);
    const stopped = stop.stop('test');
    await vi.advanceTimersByTimeAsync(4999);
    expect(left).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
    expect(left).toHaveBeenCalled();
    expect(exit).toHaveBeenCalledWith(0);
    expect(
      records().some(({ fields }) => fields.message.startsWith('flush: receipts did not end in time')),
    ).toBe(true);
  });

  it('gives leased jobs the time of the queue', async () => {
    const { shutdown: stop, exit } = shutdown({ shutdown_grace_period: 0 });
    const bounds: number[] = [];
    const work = async ({ boundMs }: { boundMs: number }): Promise<void> => {
      bounds.push(boundMs);
      await pause(20_000);
    };
    stop.onShutdown('flush', 'jobs', work, { bound: 'queue' });
    const stopped = stop.stop('test');
    await vi.advanceTimersByTimeAsync(20_000);
    await stopped;
    expect(bounds).toEqual([30_000]);
    expect(exit).toHaveBeenCalledWith(0);
  });

  it('exits with 1 and the count of unfinished work when the budget ends', async () => {
    const { shutdown: stop, exit, records } = shutdown({ queue_shutdown_timeout_ms: 500 });
    for (const phase of ['close', 'membership', 'flush'] as const) stop.onShutdown(phase, 'stuck', never);
    const stopped = stop.stop('test');
    await vi.advanceTimersByTimeAsync(15_499);
    expect(exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
    expect(exit).toHaveBeenCalledWith(1);
    const last = records().find(({ fields }) => fields.message === 'exiting with unfinished work');
    expect(last).toMatchObject({ level: 'WARN', fields: { unfinished: 2 } });
  });

  it('survives work that throws, now or later', async () => {
    const { shutdown: stop, exit, records } = shutdown({ shutdown_grace_period: 0 });
    stop.onShutdown('flush', 'now', () => {
      throw new Error('sync');
    });
    stop.onShutdown('flush', 'later', async () => {
      await pause(10);
      throw new Error('async');
    });
    stop.onShutdown('leave', 'too late', async () => {
      await pause(2500);
      throw new Error('after its time');
    });
    stop.onShutdown('disconnect', 'slow', () => pause(1500));
    const stopped = stop.stop('test');
    await vi.advanceTimersByTimeAsync(10_000);
    await stopped;
    expect(exit).toHaveBeenCalledWith(0);
    const texts = records().map(({ fields }) => fields.message);
    expect(texts).toContain('flush: now failed while stopping');
    expect(texts).toContain('flush: later failed while stopping');
  });

  it('refuses two pieces of work with one name', () => {
    const { shutdown: stop } = shutdown();
    stop.onShutdown('flush', 'jobs', () => undefined);
    expect(() => stop.onShutdown('flush', 'jobs', () => undefined)).toThrow('registered twice');
  });

  it('listens to both stop signals until told otherwise', () => {
    const { shutdown: stop } = shutdown();
    const signal = vi.spyOn(stop, 'signal').mockReturnValue(undefined);
    const release = stopOnSignals(stop);
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGINT', 'SIGINT');
    release();
    expect(signal.mock.calls).toEqual([['SIGTERM'], ['SIGINT']]);
    expect(process.listeners('SIGTERM').length).toBe(0);
  });
});
