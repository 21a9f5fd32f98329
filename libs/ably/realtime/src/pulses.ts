import { Wheel } from '@carillon/collections';
import type { CompatConnection } from './connection.js';
import { BEFORE_END_MS, type Need, needOf, type Pulse, untilNeedMs } from './pulse.js';

/** The timer resolution, and so the maximum delay. */
const TICK_MS = 100;

/**
 * Checks every connection when it may need an action, with one timer for all of them. A connection is on the wheel
 * exactly once, from admission to end. A fanned-out event counts as activity if it was sent to all subscribers.
 */
export class Pulses {
  readonly #wheel = new Wheel<CompatConnection>((connection) => this.#look(connection));
  readonly #startMs = performance.now();
  readonly #timer = setInterval(() => this.#wheel.advance(this.#tickOf(performance.now())), TICK_MS).unref();

  constructor(private readonly tell: (connection: CompatConnection, need: Need) => void) {}

  /** Its token counts from now on, the first that it has or another one. Nothing for one that has ended meanwhile. */
  follow(connection: CompatConnection): void {
    if (!connection.isOpen) return;
    connection.isAskedForToken = leftMs(connection) <= BEFORE_END_MS;
    this.#await(connection);
  }

  forget(connection: CompatConnection): void {
    this.#wheel.remove(connection);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(connection: CompatConnection): void {
    if (!connection.isOpen) return;
    const need = needOf(pulseOf(connection));
    if (need !== null) {
      connection.toldMs = performance.now();
      if (need === 'ending') connection.isAskedForToken = true;
      this.tell(connection, need);
    }
    if (connection.isOpen && need !== 'ended') this.#await(connection);
  }

  #await(connection: CompatConnection): void {
    const dueMs = performance.now() + untilNeedMs(pulseOf(connection));
    this.#wheel.put(connection, this.#tickOf(dueMs) + 1);
  }

  #tickOf(ms: number): number {
    return 1 + Math.floor((ms - this.#startMs) / TICK_MS);
  }
}

const leftMs = ({ principal: { expiresMs } }: CompatConnection): number =>
  expiresMs === null ? Infinity : expiresMs - Date.now();

function pulseOf(connection: CompatConnection): Pulse {
  let { toldMs } = connection;
  for (const topic of connection.topics()) toldMs = Math.max(toldMs, topic.toldMs);
  return {
    silentMs: performance.now() - toldMs,
    leftMs: leftMs(connection),
    isAsked: connection.isAskedForToken,
  };
}
