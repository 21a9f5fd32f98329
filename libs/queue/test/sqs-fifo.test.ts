import { describe, expect, it } from 'vitest';
import { counted } from './conformance/settled.js';
import { gate, until } from './scene.js';
import { sqsScene } from './sqs-scene.js';

describe('a FIFO queue of SQS', () => {
  it('takes a job of an id, or of a key, once in five minutes', async () => {
    const { queue, ended } = await counted(await sqsScene(true));
    const seen: string[] = [];
    queue.process('q', async ({ id, data }) => void seen.push(`${id} ${data}`));
    expect(await queue.enqueue('q', 'x', { jobId: 'one' })).toBe('one');
    expect(await queue.enqueue('q', 'x', { jobId: 'one' })).toBe('one');
    const first = await queue.enqueue('q', 'y', { deduplicationKey: 'a key: é' });
    expect(await queue.enqueue('q', 'other', { deduplicationKey: 'a key: é' })).toBe(first);
    const last = await queue.enqueue('q', 'last');
    await ended('ok', 3);
    expect(seen).toEqual(['one x', `${first} y`, `${last} last`]);
  });

  it('is worked on in order within a group, and side by side between groups', async () => {
    const { queue, ended } = await counted(await sqsScene(true));
    const end = gate();
    const seen: string[] = [];
    await queue.enqueueBatch(
      'q',
      ['a1', 'a2', 'a3', 'b1', 'b2'].map((data) => ({ data, partitionKey: data.slice(0, 1) })),
    );
    queue.process('q', async ({ data, attempt }) => {
      seen.push(data);
      await end.opened;
      if (data === 'a1' && attempt === 1) throw new Error('once more, before those behind it');
    });
    await until(() => seen.length === 2);
    expect(seen.toSorted()).toEqual(['a1', 'b1']);
    end.open();
    await ended('ok', 5);
    expect(seen.filter((data) => data.startsWith('a'))).toEqual(['a1', 'a1', 'a2', 'a3']);
    expect(seen.filter((data) => data.startsWith('b'))).toEqual(['b1', 'b2']);
  });
});
