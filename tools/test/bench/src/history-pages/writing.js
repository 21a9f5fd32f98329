// What goes on while somebody pages: publishes at a rate, and the purge of a writer.
import { PurgeWorker } from '@carillon/history-store';
import { BenchError } from '../../settings/bench-error.js';
import { publishOf, writtenData } from './records.js';

const TICK_MS = 5;
/** As short as a purge may be told to come. */
const PURGE_INTERVAL_MS = 10_000;
/** How long a receipt without a key answers. */
const RECEIPT_MS = 600_000;

/** Publishes to one channel at a rate, through the lanes, until it is stopped. */
export class Publisher {
  /** What was written, by history serial. @type {Map<number, string>} */
  written = new Map();
  #stopped = false;
  /** @type {Promise<void>} */
  #running = Promise.resolve();

  /**
   * @param {import('../history/setting.js').Setting} setting
   * @param {{ perSecond: number, payloadBytes: number, maxMessages: number }} options
   */
  constructor(setting, options) {
    this.setting = setting;
    this.options = options;
  }

  start() {
    this.#running = this.#run();
    // Told by `stop`; until then it must not end the process.
    this.#running.catch(() => undefined);
  }

  /** Rejects when a record was not applied. */
  async stop() {
    this.#stopped = true;
    await this.#running;
  }

  async #run() {
    const begunMs = performance.now();
    /** @type {Set<Promise<void>>} */
    const open = new Set();
    for (let index = 0; !this.#stopped;) {
      const due = Math.floor(((performance.now() - begunMs) * this.options.perSecond) / 1000);
      for (; index < due; index += 1) {
        const one = this.#publish(index).finally(() => open.delete(one));
        open.add(one);
      }
      await new Promise((later) => setTimeout(later, TICK_MS));
    }
    await Promise.all(open);
  }

  /** @param {number} index */
  async #publish(index) {
    const { payloadBytes, maxMessages } = this.options;
    const data = writtenData(index, payloadBytes);
    const [result] = await this.setting.client.commit([publishOf(data, maxMessages)]);
    if (result?.status !== 'applied' || typeof result.history_serial !== 'number')
      throw new BenchError(`a record was ${result?.status}`);
    this.written.set(result.history_serial, data);
  }
}

/**
 * The purge as a writer runs it; counts what it took.
 * @param {import('../history/setting.js').Setting} setting
 */
export function startPurge({ store, config: { history } }) {
  const counted = { removed: 0 };
  /** @type {unknown} */
  let failure = null;
  const worker = new PurgeWorker(
    {
      store,
      now: Date.now,
      onEvicted: (all) => void (counted.removed += all.reduce((sum, { records }) => sum + records, 0)),
      onSurvey: () => {},
      onFailure: (error) => void (failure = error),
    },
    {
      intervalMs: PURGE_INTERVAL_MS,
      batch: history.purge_batch_size,
      maxPerTick: history.max_purge_per_tick,
      receiptsKeptMs: RECEIPT_MS,
      windowMs: history.retention_window_seconds * 1000,
    },
  );
  worker.start();
  return {
    counted,
    stop: async () => {
      await worker.stop();
      if (failure !== null) throw failure;
    },
  };
}
