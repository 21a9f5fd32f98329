import { closeSync, openSync, statSync } from 'node:fs';
import type { Logger } from '../logging/logger.js';
import { readKernelText, type ReadText } from './cgroup.js';

/** Counts the file descriptors of this process. */
export interface DescriptorCount {
  /** Null: no limit, or unknown. */
  readonly most: number | null;
  /** Number of open descriptors. Must not throw. */
  open(): number;
}

/** Cache time of a count while no connection is admitted. */
const LOOK_MS = 250;
const LEAST_RESERVE = 32;
const MAX_RESERVE = 1024;

/**
 * Reserves descriptors for probes, HTTP API requests and the process itself: without any, the native server could not
 * even accept the connection of a probe, and would retry in a loop.
 */
export class Descriptors {
  readonly #threshold: number;
  readonly #again: number;
  #open = 0;
  #askedSince = 0;
  #lookedAtMs = -Infinity;
  #isShort = false;

  constructor(
    private readonly count: DescriptorCount,
    private readonly log: Logger,
  ) {
    const most = count.most ?? Infinity;
    const reserve = Math.min(Math.max(LEAST_RESERVE, Math.ceil(most / 20)), MAX_RESERVE, most / 2);
    this.#threshold = most - reserve;
    this.#again = this.#threshold - reserve / 4;
  }

  /** Whether only the reserve is left. A caller that gets false may take one descriptor. */
  isShort(): boolean {
    if (this.#threshold === Infinity) return false;
    this.#askedSince += 1;
    const nowMs = performance.now();
    const mayBeShort = this.#isShort || this.#open + this.#askedSince >= this.#threshold;
    if (mayBeShort || nowMs - this.#lookedAtMs >= LOOK_MS) this.#look(nowMs);
    return this.#isShort;
  }

  /** A change is logged; that many have to be free again, so that it does not change with every connection. */
  #look(nowMs: number): void {
    this.#open = this.count.open();
    this.#askedSince = 0;
    this.#lookedAtMs = nowMs;
    const isShort = this.#open >= (this.#isShort ? this.#again : this.#threshold);
    if (isShort === this.#isShort) return;
    this.#isShort = isShort;
    const fields = { open: this.#open, limit: this.count.most };
    if (isShort)
      this.log.warn('file descriptors run out, refusing new connections: raise `ulimit -n`', fields);
    else this.log.info('file descriptors are free again, accepting new connections', fields);
  }
}

/** Counts those of this process. Not Linux: without a limit. */
export function processDescriptors(read: ReadText = readKernelText): DescriptorCount {
  const most = Number(read('/proc/self/limits')?.match(/^Max open files\s+(\d+)/m)?.[1] ?? Number.NaN);
  return { most: Number.isNaN(most) ? null : most, open: () => openDescriptors(most) };
}

/** Kernels from 6.2 on report the number as the size of the folder, without listing it; older ones report 0. */
function openDescriptors(most: number): number {
  try {
    return statSync('/proc/self/fd').size || lowestFree();
  } catch {
    // None is left to look with.
    return most;
  }
}

/** The lowest number that is free: as many are open at least, and no more than a few others once they run out. */
function lowestFree(): number {
  const descriptor = openSync('/proc/self/fd', 'r');
  closeSync(descriptor);
  return descriptor;
}
