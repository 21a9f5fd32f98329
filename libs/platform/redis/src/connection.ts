import type { RedisClient } from './client.js';
import { RedisUnavailable } from './failures.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** An attempt that begins this soon is worth waiting for. */
const SOON_MS = 250;

/** The pause before an attempt to connect again; the first attempt after a loss is number 1. */
export const reconnectPauseMs = (attempt: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);

/** Receives lost and restored connections. */
export interface ConnectionListener {
  lost(reason: string): void;
  restored(): void;
  /** A server of a cluster came or went, while others serve on. */
  moved?(): void;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (failure: RedisUnavailable) => void;
}

/**
 * Keeps a client connected: immediately, then with exponential backoff from 100 ms to 5 s. Waiting calls learn the
 * outcome of the current or next attempt, and never wait for a later one.
 */
export class Connection {
  readonly #client: RedisClient;
  readonly #listener: ConnectionListener;
  readonly #waiters = new Set<Waiter>();
  #attempts = 0;
  #nextAttemptMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #generation = 0;
  #established = false;
  #lost = false;
  #closed = false;
  /** First error since the last attempt began; null: none. */
  #reason: string | null = null;

  constructor(client: RedisClient, listener: ConnectionListener) {
    this.#client = client;
    this.#listener = listener;
    client.on('ready', () => this.#ready());
    client.on('end', () => this.#ended());
    client.on('error', (error: Error) => this.#note(error));
    client.on('node error', (error: Error) => this.#note(error));
    for (const change of ['+node', '-node']) client.on(change, () => this.#moved());
    this.#attempt();
  }

  /** Grows whenever a server may have taken the place of another. Without a connection: that of the next one. */
  get generation(): number {
    return this.isReady ? this.#generation : this.#generation + 1;
  }

  /** False already when the server hung up and the client did not notice yet. */
  get isReady(): boolean {
    const client = this.#client;
    return client.status === 'ready' && !this.#closed && ('nodes' in client || client.stream.writable);
  }

  /** Resolves when commands can be sent. Rejects with `lost` or `closed`, at once when no attempt is near. */
  untilReady(): Promise<void> {
    if (this.isReady) return Promise.resolve();
    if (this.#closed) return Promise.reject(new RedisUnavailable('closed', 'the connection is closed'));
    if (this.#timer !== null && this.#nextAttemptMs - performance.now() > SOON_MS) {
      return Promise.reject(this.#failure());
    }
    return new Promise((resolve, reject) => {
      this.#waiters.add({ resolve, reject });
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#client.disconnect();
    this.#settle(({ reject }) => reject(new RedisUnavailable('closed', 'the connection is closed')));
  }

  #attempt(): void {
    this.#timer = null;
    this.#reason = null;
    this.#client.connect().catch((error: unknown) => {
      if (error instanceof Error) this.#note(error);
    });
  }

  #ready(): void {
    this.#attempts = 0;
    this.#generation += 1;
    this.#reason = null;
    if (this.#lost) this.#listener.restored();
    this.#lost = false;
    this.#established = true;
    this.#settle(({ resolve }) => resolve());
  }

  #moved(): void {
    this.#generation += 1;
    if (this.#established && !this.#closed) this.#listener.moved?.();
  }

  #ended(): void {
    if (this.#closed) return;
    if (this.#established) {
      this.#lost = true;
      this.#listener.lost(this.#reason ?? 'the connection was closed');
    } else {
      this.#settle(({ reject }) => reject(this.#failure()));
    }
    this.#established = false;
    this.#attempts += 1;
    const pauseMs = reconnectPauseMs(this.#attempts);
    this.#nextAttemptMs = performance.now() + pauseMs;
    this.#timer = setTimeout(() => this.#attempt(), pauseMs);
  }

  #note({ message }: Error): void {
    this.#reason ??= message;
  }

  #failure(): RedisUnavailable {
    return new RedisUnavailable('lost', `not connected: ${this.#reason ?? 'the connection was closed'}`);
  }

  #settle(how: (waiter: Waiter) => void): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) how(waiter);
  }
}
