import type { Clock } from './clock.js';

/** The transport of frames: WebSocket, or a session over HTTP. */
export type TransportName = 'websocket' | 'http-stream';

export const TRANSPORTS: readonly TransportName[] = ['websocket', 'http-stream'];

interface Remembered {
  readonly name: TransportName;
  readonly untilMs: number;
}

/** The time for which the last working transport is tried first. */
const REMEMBER_MS = 3_600_000;
const KEY = 'carillon-transport:';

const remembered = new Map<string, Remembered>();

/** The page's storage. Undefined if the runtime has none; throws if access is denied. */
const storage = (): Storage | undefined => (globalThis as { localStorage?: Storage }).localStorage;

/**
 * Chooses the transport of each attempt: one that fails is followed by the next, and the one that worked is remembered
 * per host.
 */
export class Transports {
  #current: TransportName;
  readonly #failed = new Set<TransportName>();

  constructor(
    private readonly names: readonly TransportName[],
    private readonly host: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.#current = this.#preferred();
  }

  get current(): TransportName {
    return this.#current;
  }

  /** Whether another one is left if this one fails. */
  get hasNext(): boolean {
    return this.names.some((name) => name !== this.#current && !this.#failed.has(name));
  }

  /**
   * Switches to the next transport after a failure. Returns false if none is left; the list then restarts after a
   * delay.
   */
  next(): boolean {
    this.#failed.add(this.#current);
    const next = this.names.find((name) => !this.#failed.has(name));
    if (next === undefined) this.#failed.clear();
    this.#current = next ?? this.#preferred();
    return next !== undefined;
  }

  /** The current one is established. */
  worked(): void {
    this.#failed.clear();
    if (this.names.length < 2) return;
    const found = { name: this.#current, untilMs: this.clock.now() + REMEMBER_MS };
    remembered.set(this.host, found);
    try {
      storage()?.setItem(KEY + this.host, JSON.stringify(found));
    } catch {
      // The storage is full, or not permitted.
    }
  }

  #preferred(): TransportName {
    const found = remembered.get(this.host) ?? this.#stored();
    const isValid = found && found.untilMs > this.clock.now() && this.names.includes(found.name);
    return isValid ? found.name : (this.names[0] ?? 'websocket');
  }

  #stored(): Remembered | null {
    try {
      return JSON.parse(storage()?.getItem(KEY + this.host) ?? 'null') as Remembered | null;
    } catch {
      return null;
    }
  }
}
