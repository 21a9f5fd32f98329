import { nowUs } from './clock.js';
import { Histogram } from './histogram.js';

/** Measures from the intended time of a request, and only requests meant to start inside the measured window. */
export class Stopwatch {
  latency = new Histogram();
  lag = new Histogram();
  #beginUs = Infinity;
  #endUs = Infinity;

  /** @param {number} beginUs @param {number} endUs */
  reset(beginUs, endUs) {
    this.latency = new Histogram();
    this.lag = new Histogram();
    this.#beginUs = beginUs;
    this.#endUs = endUs;
  }

  /** A request or message has arrived. @param {number} dueUs */
  arrived(dueUs) {
    if (dueUs >= this.#beginUs && dueUs < this.#endUs) this.latency.record(nowUs() - dueUs);
  }

  /** A request is being handed to the network. @param {number} dueUs */
  sent(dueUs) {
    if (dueUs >= this.#beginUs && dueUs < this.#endUs) this.lag.record(nowUs() - dueUs);
  }
}
