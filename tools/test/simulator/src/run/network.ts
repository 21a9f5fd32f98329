import type { Random } from '../kernel/random.js';
import type { Simulation } from '../kernel/simulation.js';
import { NO_RATES, type Rates } from '../plan/fault-classes.js';

/** Latency of a network without faults. */
const USUAL_MS = 2;

interface Partition {
  readonly process: number;
  readonly oneWay: boolean;
}

/** Carries messages and requests between simulated processes, with the faults of the run. */
export class Network {
  #rates: Rates;
  readonly #random: Random;
  readonly #partitions = new Set<Partition>();
  /** When the last message of an ordered link arrives. */
  readonly #arrivals = new Map<string, number>();

  constructor(
    private readonly simulation: Simulation,
    rates: Rates,
  ) {
    this.#rates = rates;
    this.#random = simulation.random;
  }

  get rates(): Rates {
    return this.#rates;
  }

  /** Ends all faults of the network. */
  calm(): void {
    this.#rates = NO_RATES;
    this.#partitions.clear();
  }

  /** Cuts a process off; with `oneWay` only its messages are lost. */
  cut(process: number, ms: number, oneWay: boolean): void {
    const partition = { process, oneWay };
    this.#partitions.add(partition);
    this.simulation.after(ms, 'heal', () => this.#partitions.delete(partition));
  }

  isCut(from: number, to: number): boolean {
    for (const { process, oneWay } of this.#partitions)
      if (from !== to && (from === process || (to === process && !oneWay))) return true;
    return false;
  }

  /** Sends a message that may be lost, doubled, late or out of order. */
  send(from: number, to: number, label: string, run: () => void): void {
    const { drop, duplicate, copies } = this.#rates;
    if (this.isCut(from, to) || this.#random.chance(drop)) return;
    const times = 1 + (this.#random.chance(duplicate) ? copies : 0);
    for (let time = 0; time < times; time += 1) this.simulation.deliver(to, this.#latencyMs(), label, run);
  }

  /** Sends over an ordered link: in order, once, or not at all. False: the link is broken. */
  stream(from: number, to: number, label: string, run: () => void): boolean {
    if (this.isCut(from, to) || this.#random.chance(this.#rates.drop)) return false;
    const link = `${from}>${to}`;
    const { nowMs } = this.simulation;
    const atMs = Math.max(nowMs + this.#latencyMs(), (this.#arrivals.get(link) ?? 0) + 0.001);
    this.#arrivals.set(link, atMs);
    this.simulation.deliver(to, atMs - nowMs, label, run, true);
    return true;
  }

  latencyMs(): number {
    return this.#latencyMs();
  }

  #latencyMs(): number {
    const { delayMs, reorderMs } = this.#rates;
    const extraMs = delayMs > 0 && this.#random.chance(0.3) ? this.#random.next() * delayMs : 0;
    return this.#random.next() * (USUAL_MS + reorderMs) + extraMs;
  }
}
