import { QueueFull, type NewJob } from '@carillon/queue';
import { Logger } from '@carillon/runtime';
import { describe, expect, it } from 'vitest';
import { Outbox } from '../../src/batching/outbox.js';

const batch = (appId: string, id: string) => ({ id, appId, data: id, events: 1, bytes: 1, settle() {} });

function scene(most: (appId: string, jobs: number) => boolean) {
  const taken: string[] = [];
  const lines: string[] = [];
  const done = new Map<string, () => void>();
  const outbox = new Outbox({
    queue: {
      capabilities: { deduplication: true } as never,
      enqueueBatch: async (_, jobs: readonly NewJob[]) => {
        if (!most(jobs[0]?.partitionKey ?? '', jobs.length)) throw new QueueFull(1);
        taken.push(...jobs.map(({ data }) => data));
        return jobs.map(({ data }) => data);
      },
    },
    log: new Logger('test', 'debug', (level, _, message) => void lines.push(`${level} ${message}`)),
    onDone: ({ id }) => done.get(id)?.(),
  });
  const until = (id: string) => new Promise<void>((resolve) => done.set(id, resolve));
  return { outbox, taken, lines, until };
}

describe('the outbox of webhooks', () => {
  it('lets no app wait for another whose share of the queue is full', async () => {
    let isFull = true;
    const { outbox, taken, lines, until } = scene((appId) => appId !== 'full' || !isFull);
    const [other, full] = [until('other-2'), until('full-2')];
    outbox.add([batch('full', 'full-1'), batch('full', 'full-2')]);
    outbox.add([batch('other', 'other-1'), batch('other', 'other-2')]);
    await other;
    expect(taken).toEqual(['other-1', 'other-2']);
    expect(lines).toEqual(['warn webhooks wait for the queue']);
    expect(outbox.size).toBe(2);
    isFull = false;
    await full;
    expect(taken.slice(2)).toEqual(['full-1', 'full-2']);
    expect(outbox.size).toBe(0);
  });

  it('offers fewer at once where there is room for some', async () => {
    const { outbox, taken, until } = scene((_, jobs) => jobs <= 2);
    const last = until('8');
    outbox.add(Array.from({ length: 8 }, (_, index) => batch('app', String(index + 1))));
    await last;
    expect(taken).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  });
});
