import { decodeWebhookJob, type WebhookJob } from '@carillon/contracts';
import { QueueFull, QueueStopped, QueueUnavailable, type NewJob } from '@carillon/queue';
import { describe, expect, it } from 'vitest';
import { Batcher, type BatcherParts } from '../../src/batching/batcher.js';
import { ManualClock, turn } from '../manual-clock.js';
import { app, metrics, recordingLog, until, valueOf } from '../samples.js';

const [shop, bank] = [app(), app([], { id: 'bank', key: 'k2' })];
const missed = (channel: string) => ({ name: 'cache_miss', channel, data: '{}' }) as const;

/** A queue with scripted answers. */
class TestQueue {
  readonly taken: NewJob[] = [];
  readonly limits = { maxJobBytes: 100_000 };
  readonly capabilities = { deduplication: true };
  answers: Error[] = [];

  async enqueueBatch(queue: string, jobs: readonly NewJob[]): Promise<string[]> {
    expect(queue).toBe('webhooks');
    const answer = this.answers.shift();
    if (answer !== undefined) throw answer;
    this.taken.push(...jobs);
    return jobs.map(({ jobId = '' }) => jobId);
  }

  get jobs(): WebhookJob[] {
    return this.taken.map(({ data, jobId }) => {
      const decoded = decodeWebhookJob(data, 1_000_000);
      if (!decoded.ok || decoded.message.kind !== 'webhook') throw new Error('no batch');
      expect(decoded.message.batch_id).toBe(jobId);
      return decoded.message;
    });
  }

  /** Per job: the app, then the channels of its events. */
  get short(): string[] {
    return this.jobs.map(({ app_id, events }) => [app_id, ...events.map(({ channel }) => channel)].join(' '));
  }
}

function batcher(more: Partial<BatcherParts> = {}) {
  const [queue, clock, { log, lines }, counted] = [
    new TestQueue(),
    new ManualClock(),
    recordingLog(),
    metrics(),
  ];
  const batching = { enabled: true, duration: 50, size: 100 };
  const parts = { batching, queue: queue as never, metrics: counted, log, clock, ...more };
  return { queue, clock, lines, metrics: counted, batcher: new Batcher(parts) };
}

const signal = new AbortController().signal;

describe('events are collected', () => {
  it('for the duration and become one batch an app, in order', async () => {
    const { batcher: collect, clock, queue } = batcher();
    for (const channel of ['1', '2']) collect.add(shop, missed(channel));
    collect.add(bank, missed('3'));
    await clock.pass(49);
    collect.add(shop, missed('4'));
    expect(queue.taken).toEqual([]);
    await clock.pass(1);
    expect(queue.short).toEqual(['shop 1 2 4', 'bank 3']);
    collect.add(shop, missed('5'));
    await clock.pass(50);
    expect(queue.short).toEqual(['shop 1 2 4', 'bank 3', 'shop 5']);
    expect([collect.size, clock.timers]).toEqual([0, 0]);
  });

  it('up to the size of a batch', async () => {
    const {
      batcher: collect,
      clock,
      queue,
    } = batcher({ batching: { enabled: true, duration: 50, size: 2 } });
    for (const channel of ['1', '2', '3']) collect.add(shop, missed(channel));
    await clock.pass(50);
    expect(queue.short).toEqual(['shop 1 2', 'shop 3']);
  });

  it('not at all without batching: each is a request', async () => {
    const { batcher: collect, queue } = batcher({
      batching: { enabled: false, duration: 50, size: 100 },
    });
    for (const channel of ['1', '2']) collect.add(shop, missed(channel));
    await turn();
    expect(queue.short).toEqual(['shop 1', 'shop 2']);
  });

  it('but for those of AI transport, which go at once and alone', async () => {
    const { batcher: collect, queue, clock } = batcher();
    collect.add(shop, missed('1'));
    collect.add(shop, {
      name: 'ai_cancel_requested',
      channel: 'ai',
      run_id: 'r',
      turn_id: 'r',
      client_id: null,
    });
    await turn();
    expect(queue.short).toEqual(['shop ai']);
    await clock.pass(50);
    expect(queue.short).toEqual(['shop ai', 'shop 1']);
  });

  it('and those before in the same channel, which go first', async () => {
    const { batcher: collect, queue, clock } = batcher();
    for (const channel of ['other', 'ai']) collect.add(shop, missed(channel));
    collect.add(bank, missed('ai'));
    const run = { name: 'ai_run_started', channel: 'ai', run_id: 'r', client_id: null } as const;
    collect.add(shop, run);
    await turn();
    expect(queue.short).toEqual(['shop other ai', 'shop ai']);
    collect.add(shop, missed('other'));
    collect.add(shop, run);
    await clock.pass(50);
    expect(queue.short.slice(2).sort()).toEqual(['bank ai', 'shop ai', 'shop other']);
    expect(queue.short.indexOf('shop ai', 2)).toBeLessThan(queue.short.indexOf('shop other'));
  });

  it('and flushed at a stop', async () => {
    const { batcher: collect, queue } = batcher();
    collect.add(shop, missed('1'));
    await collect.flush(signal);
    expect(queue.short).toEqual(['shop 1']);
    expect(collect.size).toBe(0);
  });
});

describe('a queue that', () => {
  it('is away or full is offered the same jobs again, and loses none', async () => {
    const { batcher: collect, queue, lines } = batcher();
    queue.answers = [new QueueUnavailable('away'), new QueueFull(1), new QueueUnavailable('away')];
    collect.add(shop, missed('1'));
    collect.cut();
    collect.add(shop, missed('2'));
    await collect.flush(signal);
    expect(queue.short).toEqual(['shop 1', 'shop 2']);
    expect(lines.filter(({ message }) => message === 'webhooks wait for the queue')).toHaveLength(1);
  });

  it('stays away keeps the events until there are too many; then the newest are dropped and counted', async () => {
    const {
      batcher: collect,
      queue,
      metrics: counted,
    } = batcher({ bounds: { maxEvents: 2, maxBytes: 2000 } });
    queue.answers = [new QueueUnavailable('away')];
    for (const channel of ['1', '2', '3', '4']) collect.add(shop, missed(channel));
    expect(await valueOf(counted, 'webhook_events_dropped_total', { app_id: 'shop' })).toBe(2);
    await collect.flush(signal);
    expect(queue.short).toEqual(['shop 1 2']);
    collect.add(shop, missed('5'));
    await collect.flush(signal);
    expect(queue.short).toEqual(['shop 1 2', 'shop 5']);
  });

  it('stops loses what it was offered, which is counted', async () => {
    const { batcher: collect, queue, metrics: counted } = batcher();
    queue.answers = [new QueueStopped()];
    collect.add(shop, missed('1'));
    await collect.flush(signal);
    await until(() => collect.size === 0);
    expect(await valueOf(counted, 'webhook_events_dropped_total', { app_id: 'shop' })).toBe(1);
  });

  it('refuses a job for good loses that job and no other, which is counted', async () => {
    const batching = { enabled: true, duration: 50, size: 1 };
    const { batcher: collect, queue, metrics: counted, lines } = batcher({ batching });
    queue.answers = [new Error('one of both'), new Error('the first')];
    collect.add(shop, missed('1'));
    collect.add(shop, missed('2'));
    await collect.flush(signal);
    await until(() => collect.size === 0);
    expect(await valueOf(counted, 'webhook_events_dropped_total', { app_id: 'shop' })).toBe(1);
    expect(queue.short).toEqual(['shop 2']);
    expect(lines.some(({ level }) => level === 'error')).toBe(true);
  });

  it('takes no jobs of that size drops the event, not the batch', async () => {
    const { batcher: collect, queue, metrics: counted } = batcher();
    collect.add(shop, missed('1'));
    collect.add(shop, missed('x'.repeat(60_000)));
    collect.add(shop, missed('2'));
    await collect.flush(signal);
    expect(queue.short.join(' ').replaceAll('shop ', '')).toBe('1 2');
    expect(await valueOf(counted, 'webhook_events_dropped_total', { app_id: 'shop' })).toBe(1);
    expect(collect.size).toBe(0);
  });

  it('does not answer holds a stop only until its time is over', async () => {
    const { batcher: collect, queue } = batcher();
    queue.answers = Array.from({ length: 1000 }, () => new QueueUnavailable('away'));
    collect.add(shop, missed('1'));
    await collect.flush(AbortSignal.timeout(50));
    expect(collect.size).toBe(1);
    queue.answers = [];
  });
});
