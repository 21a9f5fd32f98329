import type { Cache } from '@carillon/cache';
import { isObject, parseJson, STATE_TTL_MS } from '@carillon/ably-core';
import type { CompatConnection } from './connection.js';

/** Answers that are remembered of one connection. */
const MAX_KEPT = 1000;
/** Answers that are shared as one, so that who publishes much is not written about once for each. */
const BLOCK = 32;
/** How long answers wait for others that are shared with them. */
const WAIT_MS = 5;
/** No answer waits longer for a store that does not answer. */
const LONGEST_WAIT_MS = 1000;
/** What was answered to a socket that only looks open is asked for later than that. */
const SHARED_MS = 2 * STATE_TTL_MS;

const blockOf = (msgSerial: number): number => Math.floor(msgSerial / BLOCK);
const nameOf = ({ id, hub }: CompatConnection, block: number): string =>
  `compat:receipts:${hub.appId}:${id}:${block}`;

/**
 * What connections were told of what they published: who comes back, here or elsewhere, and says it again is told the
 * same, and nothing is done twice. The next publish does not wait until the receipt of one is shared, but its answer does:
 * whoever was answered is known everywhere, though the process ends. What was refused is judged again, for nothing of it
 * was done.
 */
export class Receipts {
  /** Blocks of connections with answers that are not shared yet. */
  readonly #due = new Map<CompatConnection, Set<number>>();
  /** Told when those are shared. */
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(
    /** Null: nobody comes back anywhere else. */
    private readonly shared: Pick<Cache, 'get' | 'set'> | null,
    private readonly onTrouble: (what: string, error: unknown) => void,
  ) {}

  /** Resolves when it is shared, could not be or took too long; null: nobody comes back anywhere else. */
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

  /** The serials that it was told; undefined: it is new. Rejects when that cannot be known. */
  async find(connection: CompatConnection, msgSerial: number): Promise<readonly string[] | undefined> {
    const known = connection.receipts.get(msgSerial);
    if (known !== undefined || !connection.mayRepeat) return known;
    await this.#read(connection, blockOf(msgSerial));
    const found = connection.receipts.get(msgSerial);
    // All was taken in order: whatever follows something new is new.
    if (found === undefined) connection.mayRepeat = false;
    return found;
  }

  /** At once: somebody may ask for them elsewhere. */
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
