import type { Cache } from '@carillon/cache';
import { isObject, parseJson, STATE_TTL_MS } from '@carillon/ably-core';
import type { CompatConnection } from './connection.js';

/** Answers that are remembered of one connection. */
const MAX_KEPT = 1000;
/**
 * The number of acknowledgements stored in one cache entry, so that frequent publishers do not cause one write each.
 */
const BLOCK = 32;
/** The time for which acknowledgements are batched. */
const WAIT_MS = 5;
/** No answer waits longer for a store that does not answer. */
const LONGEST_WAIT_MS = 1000;
/** The cache lifetime. It exceeds the time after which a socket that only looks open is resumed. */
const SHARED_MS = 2 * STATE_TTL_MS;

const blockOf = (msgSerial: number): number => Math.floor(msgSerial / BLOCK);
const nameOf = ({ id, hub }: CompatConnection, block: number): string =>
  `compat:receipts:${hub.appId}:${id}:${block}`;

/**
 * Stores the acknowledgements of publishes. A resumed connection, here or on another node, that resends a publish
 * gets the same acknowledgement, and nothing is published twice. The next publish does not wait until a receipt is
 * stored, but its ACK does: an acknowledged publish is known to all nodes, even if the process is killed. A refused
 * publish is evaluated again, because it had no effect.
 */
export class Receipts {
  /** Blocks of connections with answers that are not shared yet. */
  readonly #due = new Map<CompatConnection, Set<number>>();
  /** Called when those are stored. */
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(
    /** Null: connections cannot be resumed on other nodes. */
    private readonly shared: Pick<Cache, 'get' | 'set'> | null,
    private readonly onTrouble: (what: string, error: unknown) => void,
  ) {}

  /**
   * Resolves when the receipt is stored, or the write failed or timed out; null: connections cannot be resumed on
   * other nodes.
   */
  note(connection: CompatConnection, msgSerial: number, serials: readonly string[]): Promise<void> | null {
    connection.receipts.set(msgSerial, serials);
    connection.receipts.delete(msgSerial - MAX_KEPT);
    if (this.shared === null) return null;
    const blocks = this.#due.get(connection);
    if (blocks === undefined) this.#due.set(connection, new Set([blockOf(msgSerial)]));
    else blocks.add(blockOf(msgSerial));
    this.#timer ??= setTimeout(() => this.share(), WAIT_MS);
    return new Promise((shared) => void this.#waiting.push(shared));
  }

  /**
   * Returns the serials of a former acknowledgement; undefined: the publish is new. Rejects if that cannot be
   * determined.
   */
  async find(connection: CompatConnection, msgSerial: number): Promise<readonly string[] | undefined> {
    const known = connection.receipts.get(msgSerial);
    if (known !== undefined || !connection.mayRepeat) return known;
    await this.#read(connection, blockOf(msgSerial));
    const found = connection.receipts.get(msgSerial);
    // Publishes were processed in order, so everything after a new one is new.
    if (found === undefined) connection.mayRepeat = false;
    return found;
  }

  /** Writes immediately, because another node may need the receipts. */
  share(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const writes = [...this.#due].flatMap(([connection, blocks]) =>
      [...blocks].map((block) => this.#write(connection, block)),
    );
    this.#due.clear();
    const waiting = this.#waiting;
    this.#waiting = [];
    const settle = (): void => waiting.forEach((shared) => shared());
    const late = setTimeout(settle, LONGEST_WAIT_MS);
    void Promise.all(writes).finally(() => {
      clearTimeout(late);
      settle();
    });
  }

  /** Never rejects. */
  async #write(connection: CompatConnection, block: number): Promise<void> {
    const answers: Record<string, readonly string[]> = {};
    for (let serial = block * BLOCK; serial < (block + 1) * BLOCK; serial += 1) {
      const serials = connection.receipts.get(serial);
      if (serials !== undefined) answers[serial] = serials;
    }
    try {
      await this.shared?.set(nameOf(connection, block), JSON.stringify(answers), SHARED_MS);
    } catch (error) {
      this.onTrouble('receipts of a connection', error);
    }
  }

  async #read(connection: CompatConnection, block: number): Promise<void> {
    const text = (await this.shared?.get(nameOf(connection, block))) ?? null;
    const answers = text === null ? null : parseJson(text);
    if (!isObject(answers)) return;
    for (const [serial, serials] of Object.entries(answers))
      if (Array.isArray(serials)) connection.receipts.set(Number(serial), serials.map(String));
  }
}
