import { describe, expect, it } from 'vitest';
import { CannotConsume, openQueue, QueueStopped } from '../src/index.js';
import { configuration } from '@carillon/testing';
import { quick, recordingLog } from './scene.js';

const open = () => openQueue('none', { reliability: quick(), log: recordingLog().log }, configuration());

describe('the driver none', () => {
  it('refuses every job, and every handler', async () => {
    const queue = await open();
    await queue.connect();
    await expect(queue.enqueue('q', 'x')).rejects.toThrow('queue driver none: enqueue is not supported');
    await expect(queue.enqueueBatch('q', [{ data: 'x' }])).rejects.toThrow('enqueue is not supported');
    expect(() => queue.process('q', async () => {})).toThrow(new CannotConsume('none'));
    expect(Object.values(queue.capabilities)).not.toContain(true);
  });

  it('has nothing to tell, and is healthy', async () => {
    const queue = await open();
    expect(Object.values(await queue.stats('q')).every((value) => value === null)).toBe(true);
    expect(await queue.listDeadLetters('q', 10)).toEqual([]);
    expect(await queue.listEvents('q', 10)).toEqual([]);
    expect(await queue.replayDeadLetters('q', 10)).toBe(0);
    expect(await queue.removeDeadLetters('q', ['x'])).toBe(0);
    await expect(queue.health()).resolves.toBeUndefined();
  });

  it('says that it is stopped once it is', async () => {
    const queue = await open();
    await queue.drain();
    await queue.close();
    await expect(queue.enqueue('q', 'x')).rejects.toThrow(new QueueStopped());
  });
});
