import 'reflect-metadata';
import { connectDependencies, createParts, type ProcessState, RuntimeModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { deadLetter, defer, openQueue, QUEUE, type Queue, QUEUE_DRIVERS, QueueModule } from '../src/index.js';
import { DRIVER_FACTS, QUEUE_FACTS } from '@carillon/config';
import { configuration } from '@carillon/testing';
import { collect, quick, recordingLog, sleep, until } from './scene.js';

/** A process with this room in it, connected. */
async function processWith(env: Record<string, string>, room: typeof QueueModule | object = QueueModule) {
  const parts = createParts(configuration(env));

  @Module({ imports: [RuntimeModule.forProcess(parts), room as typeof QueueModule] })
  class Root {}

  const context = await NestFactory.createApplicationContext(Root, { logger: false });
  const connect = () =>
    connectDependencies(parts.startup.dependencies, {
      startup_timeout_ms: 1000,
      log: parts.logging.for('service::ops'),
    });
  return { ...parts, queue: context.get<Queue>(QUEUE), connect, close: () => context.close() };
}

const run = (state: ProcessState) => state.advance('RUNNING');

describe('the module', () => {
  it('connects the queue with the process, checks its health, and begins to work when the process runs', async () => {
    const one = await processWith({});
    const jobs = collect(one.queue, 'q');
    await one.connect();
    await one.queue.enqueue('q', 'x');
    await sleep(50);
    expect(jobs).toHaveLength(0);
    expect(await one.health.check()).toMatchObject({ status: 'OK' });
    run(one.process);
    await until(() => jobs.length === 1);
    await one.close();
  });

  it('shows how much waits and what became of jobs', async () => {
    const one = await processWith({ QUEUE_WORKER_POLL_INTERVAL_MS: '10' });
    await one.connect();
    run(one.process);
    await one.queue.enqueueBatch('later', [{ data: 'x' }, { data: 'y', delayMs: 60_000 }]);
    let isEarly = true;
    one.queue.process('q', async ({ data }) => {
      if (data === 'bad') return deadLetter('no');
      if (!isEarly) return undefined;
      isEarly = false;
      return defer(0);
    });
    await one.queue.enqueueBatch('q', [{ data: 'good' }, { data: 'bad' }]);
    await expect(one.queue.enqueue('q', 'x', { maxAttempts: 0 })).rejects.toThrow('maxAttempts');
    await until(async () => (await one.queue.stats('q')).completed === 1);
    await until(async () => (await one.queue.stats('q')).deadLetter === 1);
    const text = await one.metrics.text();
    for (const line of [
      'service_queue_jobs{queue="later",state="ready"} 1',
      'service_queue_jobs{queue="later",state="delayed"} 1',
      'service_queue_jobs{queue="q",state="leased"} 0',
      'service_queue_jobs{queue="q",state="dead"} 1',
      'service_queue_oldest_ready_age_seconds{queue="q"} 0',
      'service_queue_jobs_processed_total{queue="q",outcome="ok"} 1',
      'service_queue_jobs_processed_total{queue="q",outcome="dead"} 1',
      'service_queue_enqueue_total{backend="memory",queue="q",outcome="ok"} 2',
      'service_queue_enqueue_total{backend="memory",queue="q",outcome="failed"} 1',
      'service_queue_claimed_total{backend="memory",queue="q"} 3',
      'service_queue_settled_total{backend="memory",queue="q",outcome="ok"} 1',
      'service_queue_settled_total{backend="memory",queue="q",outcome="dead"} 1',
      'service_queue_settled_total{backend="memory",queue="q",outcome="deferred"} 1',
      'service_queue_processing_duration_seconds_count{backend="memory",queue="q"} 3',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toMatch(/service_queue_oldest_ready_age_seconds\{queue="later"\} 0\.\d/);
    await one.close();
  });

  it('works off what it can in the flush of a stop, and closes at the end', async () => {
    const one = await processWith({ SHUTDOWN_GRACE_PERIOD: '0' });
    await one.connect();
    run(one.process);
    const jobs = collect(one.queue, 'q');
    await one.queue.enqueueBatch('q', [{ data: 'a' }, { data: 'b' }, { data: 'c' }]);
    const phases: (string | null)[] = [];
    one.shutdown.onShutdown('leave', 'witness', async () => {
      phases.push(`${jobs.length} done`);
      await one.queue.enqueue('nobody', 'still taken');
    });
    const exits: number[] = [];
    const { exit } = process;
    process.exit = ((code: number) => exits.push(code)) as never;
    await one.shutdown.stop('test');
    process.exit = exit;
    expect(phases).toEqual(['3 done']);
    expect(exits).toEqual([0]);
    await expect(one.queue.enqueue('q', 'x')).rejects.toThrow('queue is shutting down');
    await one.close();
  });

  it('does without a queue when there is to be none', async () => {
    const one = await processWith({ QUEUE_DRIVER: 'none' });
    await one.connect();
    expect(one.startup.dependencies).toEqual([]);
    expect(await one.health.check()).toEqual({ status: 'OK', failures: [] });
    expect(await one.metrics.text()).not.toContain('queue_jobs{');
    await one.close();
  });

  it('is critical for a worker, and a degradation for others', async () => {
    for (const [room, status] of [
      [QueueModule, 'DEGRADED'],
      [QueueModule.forWorker(), 'ERROR'],
    ] as const) {
      const one = await processWith({}, room);
      await one.connect();
      await one.queue.close();
      expect(await one.health.check()).toMatchObject({ status });
      await one.close();
    }
  });

  it('is documented with the drivers of this build', async () => {
    const reference = await readFile(
      new URL('../../../../docs/reference/configuration.md', import.meta.url),
      'utf8',
    );
    const named = [...reference.matchAll(/In this build: (.*?); others are refused/g)].map(([, names = '']) =>
      names.replaceAll('`', '').split(', '),
    );
    expect(named).toEqual([QUEUE_DRIVERS, QUEUE_DRIVERS]);
  });

  it('knows the drivers of this build, and no others', async () => {
    const parts = { reliability: quick(), log: recordingLog().log };
    expect(QUEUE_DRIVERS).toEqual(Object.keys(DRIVER_FACTS['queue.driver'] ?? {}));
    for (const driver of QUEUE_DRIVERS) {
      const queue = await openQueue(driver, parts, configuration());
      expect(queue.driver).toBe(driver);
      expect([driver, queue.capabilities]).toMatchObject([driver, QUEUE_FACTS[driver]]);
    }
    for (const driver of ['toString', 'omq', '']) {
      await expect(openQueue(driver, parts, configuration())).rejects.toThrow(
        `driver ${driver} is not available in this build`,
      );
    }
  });
});
