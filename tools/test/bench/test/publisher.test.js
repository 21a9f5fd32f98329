import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Publisher } from '../load/publisher.js';
import { Stopwatch } from '../load/stopwatch.js';
import { nowUs } from '../load/clock.js';
import { parseOptions } from '../settings/options.js';

const BATCH = 4;

/** @type {(() => void)[]} */
const cleanUps = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** A server that answers nobody until a whole batch of requests waits for it. */
async function serveWholeBatches() {
  /** @type {import('node:http').ServerResponse[]} */
  let waiting = [];
  const server = createServer((_, response) => {
    waiting.push(response);
    if (waiting.length < BATCH) return;
    for (const one of waiting) one.end('{}');
    waiting = [];
  }).listen(0, '127.0.0.1');
  cleanUps.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await once(server, 'listening');
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

class Recorder extends Stopwatch {
  /** @type {number[]} */
  times = [];

  /** @override @param {number} dueUs */
  sent(dueUs) {
    this.times.push(dueUs);
  }
}

describe('publisher', () => {
  it('lets a whole batch leave at its one time, without waiting for answers', async () => {
    const port = await serveWholeBatches();
    const line = `fanout --url ws://127.0.0.1:${port} --app a --key k --secret s --batch ${BATCH} --rate 400`;
    const options = parseOptions(line.split(' '));
    if (options === null) throw new Error('no options');
    const stopwatch = new Recorder();
    const { server, settings } = options;
    const publisher = new Publisher({ server, settings, stopwatch, share: { index: 0, of: 1 } }, () => 3);
    cleanUps.push(() => publisher.close());
    publisher.start(nowUs());
    await expect.poll(() => publisher.published, { timeout: 20_000 }).toBeGreaterThanOrEqual(3 * BATCH);
    publisher.stop();
    expect(publisher.expected).toBe(publisher.published * 3);
    expect(publisher.failed).toBe(0);
    for (let first = 0; first < stopwatch.times.length; first += BATCH) {
      const together = stopwatch.times.slice(first, first + BATCH);
      expect(new Set(together).size).toBe(1);
      expect(together.length).toBe(BATCH);
    }
  });
});
