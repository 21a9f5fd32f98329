import type { Owed } from '../port.js';
import { type ShardName, shardTag } from './keys.js';
import type { Answer, Page, Reaped, Result } from './operation.js';
import { type OwedEntry, owedField } from './owed-entry.js';
import type { Batch, ClusterStore, Reaping } from './store.js';

export interface OwedBookParts {
  readonly store: Pick<ClusterStore, 'settle'>;
  /** Whether changes of the shard are kept until their notification is settled. */
  readonly isOwed: (shard: ShardName) => boolean;
  readonly onTrouble: (error: unknown) => void;
}

/** Settlements of one node in one shard that go to the store together. */
interface Settling {
  readonly shard: ShardName;
  readonly nodeId: string;
  readonly entries: OwedEntry[];
}

/** Beyond it a failed settlement is left to the expiry of the entry. */
const MAX_UNSETTLED = 100_000;
const RETRY_MS = 1000;

/**
 * The notifications that this process owes: changes it made itself and changes a dead node left. Each is kept in the
 * store under the node that made it, in the step that made it, until it is settled here. A process that dies leaves its
 * entries to the node that clears up after it.
 */
export class OwedBook {
  /** Entries this process is working on, by shard and node. */
  readonly #open = new Map<string, Set<string>>();
  #settling = new Map<string, Settling>();
  #isFlushing = false;
  #isClosed = false;

  constructor(private readonly parts: OwedBookParts) {}

  isOwed(shard: ShardName): boolean {
    return this.parts.isOwed(shard);
  }

  /** Whether entries of the node in the shard are open here. */
  has(shard: ShardName, nodeId: string): boolean {
    return this.#open.has(pathOf(shard, nodeId));
  }

  /** Opens the entries a batch has made. */
  answered(shard: ShardName, nodeId: string, { operations }: Batch, answer: Answer): Answer {
    if (!this.isOwed(shard)) return answer;
    const results = answer.results.map((result, at): Result => {
      const { outcome, serial } = result;
      const subject = operations[at]?.subject;
      if (subject === undefined || (outcome !== 'added' && outcome !== 'removed')) return result;
      return { ...result, owed: this.#opened(shard, nodeId, { subject, outcome, serial }) };
    });
    return { ...answer, results };
  }

  /** Opens the entries a page of a dead node has made. */
  reaped({ shard, dead, owes }: Reaping, page: Page): Page {
    if (!owes) return page;
    const changes = page.changes.map((change): Reaped => {
      const { outcome, subject, serial } = change;
      if (outcome !== 'removed') return change;
      return { ...change, owed: this.#opened(shard, dead, { subject, outcome, serial }) };
    });
    return { ...page, changes };
  }

  /** Opens an entry that was found in the store; null: it is open here already. */
  found(shard: ShardName, nodeId: string, entry: OwedEntry): Owed | null {
    const isOpen = this.#open.get(pathOf(shard, nodeId))?.has(owedField(entry)) === true;
    return isOpen ? null : this.#opened(shard, nodeId, entry);
  }

  /** Sends pending settlements; later ones are ignored. Never rejects. */
  async close(): Promise<void> {
    await this.#flush();
    this.#isClosed = true;
  }

  #opened(shard: ShardName, nodeId: string, entry: OwedEntry): Owed {
    const path = pathOf(shard, nodeId);
    const field = owedField(entry);
    const open = this.#open.get(path) ?? new Set<string>();
    this.#open.set(path, open.add(field));
    return { settle: () => this.#settle({ shard, nodeId, entries: [entry] }) };
  }

  #settle({ shard, nodeId, entries }: Settling): void {
    if (this.#isClosed || this.#settling.size >= MAX_UNSETTLED) return;
    const path = pathOf(shard, nodeId);
    const waiting = this.#settling.get(path) ?? { shard, nodeId, entries: [] };
    waiting.entries.push(...entries);
    this.#settling.set(path, waiting);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const settling = [...this.#settling.values()];
    this.#settling = new Map();
    this.#isFlushing = false;
    await Promise.all(settling.map((one) => this.#send(one)));
  }

  async #send(settling: Settling): Promise<void> {
    const { shard, nodeId, entries } = settling;
    try {
      await this.parts.store.settle(shard, nodeId, entries);
      this.#close(pathOf(shard, nodeId), entries);
    } catch (error) {
      if (this.#isClosed) return;
      this.parts.onTrouble(error);
      setTimeout(() => this.#settle(settling), RETRY_MS).unref();
    }
  }

  #close(path: string, entries: readonly OwedEntry[]): void {
    const open = this.#open.get(path);
    for (const entry of entries) open?.delete(owedField(entry));
    if (open?.size === 0) this.#open.delete(path);
  }
}

const pathOf = (shard: ShardName, nodeId: string): string => `${nodeId} ${shardTag(shard)}`;
