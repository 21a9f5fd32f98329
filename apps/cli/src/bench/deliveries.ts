import { Latencies } from './latencies.js';

/** Counts what each connection receives: each event once, lost or duplicated. */
export class Deliveries {
  readonly latencies = new Latencies();
  delivered = 0;
  duplicated = 0;
  lastMs = 0;
  readonly #seen: readonly Uint8Array[];

  /** `events`: the most events of one channel. */
  constructor(connections: number, events: number) {
    this.#seen = Array.from({ length: connections }, () => new Uint8Array(Math.ceil(events / 8)));
  }

  receive(connection: number, index: number, sentMs: number, nowMs: number): void {
    const seen = this.#seen[connection];
    const byte = index >> 3;
    const bit = 1 << (index & 7);
    if (seen === undefined || byte >= seen.length) return;
    this.lastMs = nowMs;
    if (((seen[byte] ?? 0) & bit) !== 0) {
      this.duplicated += 1;
      return;
    }
    seen[byte] = (seen[byte] ?? 0) | bit;
    this.delivered += 1;
    this.latencies.add(nowMs - sentMs);
  }
}
