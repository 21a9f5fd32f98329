import { engine, type EngineHandle } from '@carillon/test-backends';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Queue, QueueUnavailable } from '../src/index.js';
import type { BrokerScene } from './broker-scene.js';
import { until } from './scene.js';

const batch = (count: number) => Array.from({ length: count }, (_, n) => ({ data: `${n}` }));

/** Leases that end while a test waits. */
const BRIEF = { lease_duration_ms: 2000, lease_renew_interval_ms: 500 };

/** Works on a queue, a little while on each job, and counts how often it was given which. */
function counting(queue: Queue): Map<string, number> {
  const seen = new Map<string, number>();
  queue.process('q', async ({ id }) => {
    seen.set(id, (seen.get(id) ?? 0) + 1);
    await new Promise((resolve) => setTimeout(resolve, 10));
  });
  return seen;
}

/** Retries: the first call that finds the queue lost with its broker recreates it and fails. */
async function enqueued(queue: Queue): Promise<string> {
  for (;;) {
    const id = await queue.enqueue('q', 'after').catch(() => null);
    if (id !== null) return id;
  }
}

/** Requirements when a broker that keeps the states of jobs is killed, or a worker process. */
export function brokerFailures(
  name: string,
  openScene: (handle: EngineHandle) => Promise<BrokerScene>,
  { engineName = name, keepsJobs = true }: { engineName?: string; keepsJobs?: boolean } = {},
): void {
  describe(`broker ${name}`, { timeout: 90_000 }, () => {
    let broker: EngineHandle;
    beforeAll(async () => {
      broker = await engine(engineName, { own: true });
    });
    afterAll(() => broker.release());

    const has = keepsJobs ? 'every job' : 'those that came since';
    it(`that is killed and comes back has ${has}, and work goes on by itself`, async () => {
      const scene = await openScene(broker);
      const [producer, consumer] = [await scene.open(BRIEF), await scene.open(BRIEF)];
      const before = await producer.enqueueBatch('q', batch(300));
      const seen = counting(consumer);
      await until(() => seen.size > 30);
      await broker.kill();
      await expect(producer.enqueue('q', 'x')).rejects.toBeInstanceOf(QueueUnavailable);
      await until(async () => (await producer.health().catch(() => 'down')) === 'down');
      await broker.restart();
      await until(async () => (await producer.health().catch(() => 'down')) === undefined);
      const after = await enqueued(producer);
      await until(() => [after, ...(keepsJobs ? before : [])].every((id) => seen.has(id)));
    });

    it('that is away while the process stops does not hold it up', async () => {
      const scene = await openScene(broker);
      const queue = await scene.open({ ...BRIEF, shutdown_timeout_ms: 300 });
      let isBegun = false;
      queue.process('q', () => {
        isBegun = true;
        return new Promise(() => undefined);
      });
      await queue.enqueue('q', 'x');
      await until(() => isBegun);
      await broker.kill();
      await queue.close();
      await broker.restart();
    });
  });

  it(`${name}: a process that is killed leaves its jobs to others`, { timeout: 60_000 }, async () => {
    const scene = await openScene(await engine(engineName));
    const survivor = await scene.open(BRIEF);
    const ids = await survivor.enqueueBatch('q', batch(20));
    const victim = fork(new URL('victim.js', import.meta.url), {
      env: { PATH: process.env['PATH'], ...scene.environment },
    });
    onTestFinished(() => void victim.kill('SIGKILL'));
    await once(victim, 'message');
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    const seen = counting(survivor);
    await until(() => ids.every((id) => seen.has(id)));
  });
}
