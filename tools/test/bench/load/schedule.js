/**
 * An open-loop schedule: when each request is *meant* to start, whatever happened to those before it. Every time is
 * computed from the start, so rounding never adds up, and a slow server cannot slow the schedule down.
 */
export class Schedule {
  /**
   * @param {number} startUs when request 0 is due
   * @param {number} ratePerSecond greater than 0
   */
  constructor(startUs, ratePerSecond) {
    this.startUs = startUs;
    this.ratePerSecond = ratePerSecond;
  }

  /** When the request of this index (from 0) is due. @param {number} index */
  dueUs(index) {
    return this.startUs + Math.floor((index * 1_000_000) / this.ratePerSecond);
  }

  /** How many requests are due up to and including this time. @param {number} timeUs */
  dueCount(timeUs) {
    if (timeUs < this.startUs) return 0;
    let count = Math.floor(((timeUs - this.startUs) * this.ratePerSecond) / 1_000_000);
    while (this.dueUs(count) <= timeUs) count += 1;
    return count;
  }
}
