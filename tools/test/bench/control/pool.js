import { nowUs } from '../load/clock.js';
import { merged } from '../measure/merged.js';
import { LoadProcess } from './load-process.js';

const PREPARE_TIMEOUT_MS = 120_000;
const CLOSE_TIMEOUT_MS = 30_000;
/** Beyond the window itself: waiting for late messages and handing the result over. */
const RESULT_TIMEOUT_MS = 20_000;
/** Between giving the order and its start, so that every process has it in time. */
const LEAD_US = 50_000;

/** The load processes of one run, driven as one. */
export class Pool {
  /** @param {number} size */
  constructor(size) {
    this.processes = Array.from({ length: size }, () => new LoadProcess());
  }

  /** Makes the load in every process and warms the server up. @param {string} scenario @param {import('../load/model.js').Settings} settings @param {import('../load/model.js').Server} server */
  async create(scenario, settings, server) {
    const of = this.processes.length;
    await this.#all(PREPARE_TIMEOUT_MS, (index) => ({
      command: 'create',
      scenario,
      context: { settings, server, share: { index, of } },
    }));
  }

  /** Opens the load's connections. */
  async prepare() {
    await this.#all(PREPARE_TIMEOUT_MS, () => ({ command: 'prepare' }));
  }

  /**
   * Starts the load; tells when the measured window is and resolves with what was seen.
   * @param {import('../load/model.js').Settings} settings
   * @param {import('../load/model.js').Phase} phase
   */
  run({ warmup, duration }, phase) {
    const startUs = nowUs() + LEAD_US;
    const beginUs = startUs + warmup * 1_000_000;
    const window = { startUs, beginUs, endUs: beginUs + duration * 1_000_000 };
    const timeoutMs = (warmup + duration) * 1000 + RESULT_TIMEOUT_MS;
    return { window, results: this.#all(timeoutMs, () => ({ command: 'run', window, phase })).then(merged) };
  }

  /** Drops the load's connections. */
  async close() {
    await this.#all(CLOSE_TIMEOUT_MS, () => ({ command: 'close' }));
  }

  release() {
    for (const one of this.processes) one.release();
  }

  /** @param {number} timeoutMs @param {(index: number) => object} message */
  #all(timeoutMs, message) {
    return Promise.all(this.processes.map((one, index) => one.ask(message(index), timeoutMs)));
  }
}
