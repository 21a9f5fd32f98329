import { describe, expect, it } from 'vitest';
import { workedOff } from '../../src/delivery/worked-off.js';
import { Receiver } from '../receiver.js';
import { Scene } from './scene.js';

const ALONE = '[webhooks.batching]\nenabled = false';
/** More than may run and wait for one endpoint. */
const MANY = Array.from({ length: 80 }, (_, n) => `channel-${n}`);

describe('a stop', () => {
  it('works off what the memory holds, also what found no turn', async () => {
    const receiver = await Receiver.open();
    const scene = await Scene.open([{ url: receiver.url, event_types: ['channel_occupied'] }], ALONE);
    scene.occupy(...MANY);
    const { signal } = new AbortController();
    await scene.batcher.flush(signal);
    await workedOff(scene.queue, scene.delivery, signal);
    expect(receiver.received).toHaveLength(MANY.length);
    expect(scene.delivery.sentAway).toBe(0);
  });

  it('ends when its time is over', async () => {
    const receiver = await Receiver.open();
    const scene = await Scene.open([{ url: receiver.url, event_types: ['channel_occupied'] }], ALONE);
    scene.occupy(...MANY);
    await workedOff(scene.queue, scene.delivery, AbortSignal.abort());
    await scene.rest();
  });
});
