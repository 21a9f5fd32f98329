import type { Fault, Faults, Ruling } from '../src/index.js';

/** Nothing wrong is ever found, or the test fails anyway. */
export const NO_DESK: Faults = { isExplained: () => false, rulingOn: async () => 'unknown' };

/** A desk with a fixed verdict that records its calls. */
export class ListeningDesk implements Faults {
  readonly found: Fault[] = [];

  constructor(public ruling: Ruling = 'upheld') {}

  isExplained(): boolean {
    return false;
  }

  async rulingOn(_stream: unknown, _reason: unknown, faults: readonly Fault[]): Promise<Ruling> {
    this.found.push(...faults);
    return this.ruling;
  }
}
