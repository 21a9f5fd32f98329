import { LanePool } from './lane-pool.js';
import { markedData } from './marker.js';
import { pace } from './pacer.js';
import { Schedule } from './schedule.js';
import { signedRequest } from './sign.js';

/** Publishes through the HTTP API on an open-loop schedule, to each channel in turn. */
export class Publisher {
  published = 0;
  failed = 0;
  /** Messages that must reach a subscriber because their publish was answered with 2xx. */
  expected = 0;
  problem = '';
  #turn = 0;
  #stopPacing = () => {};

  /**
   * @param {import('./model.js').LoadContext} context
   * @param {(channel: number) => number} subscribersOf
   */
  constructor({ server, settings, stopwatch, prefix = 'bench' }, subscribersOf) {
    this.server = server;
    this.settings = settings;
    this.stopwatch = stopwatch;
    this.prefix = prefix;
    this.subscribersOf = subscribersOf;
    this.pool = new LanePool(server, settings.publishSockets, 1);
    this.pool.drainQueueWhenFree();
  }

  get skipped() {
    return this.pool.skipped;
  }

  /** Fails unless the server takes a publish, tried on a channel nobody subscribes to. */
  async prepare() {
    await this.pool.probe(this.#request('bench-probe', 0));
  }

  /** Events that are due together leave together, each on its own connection. @param {number} startUs */
  start(startUs) {
    const { rate, batch } = this.settings;
    this.#stopPacing = pace(new Schedule(startUs, rate / batch), (dueUs) => {
      for (let sent = 0; sent < batch; sent += 1) this.#publish(dueUs);
    });
  }

  stop() {
    this.#stopPacing();
  }

  close() {
    this.#stopPacing();
    this.pool.close();
  }

  /** @param {number} dueUs */
  #publish(dueUs) {
    const channel = this.#turn % this.settings.channels;
    this.#turn += 1;
    const request = this.#request(`${this.prefix}-${channel}`, dueUs);
    this.stopwatch.sent(dueUs);
    this.pool.offer(request, ({ ok, problem }) => {
      if (ok) {
        this.published += 1;
        this.expected += this.subscribersOf(channel);
      } else {
        this.failed += 1;
        this.problem ||= problem;
      }
    });
  }

  /** @param {string} channel @param {number} dueUs */
  #request(channel, dueUs) {
    const data = markedData(dueUs, this.settings.payloadBytes);
    return signedRequest(this.server.credentials, this.server.authority, 'events', {
      name: 'bench',
      channels: [channel],
      data,
    });
  }
}
