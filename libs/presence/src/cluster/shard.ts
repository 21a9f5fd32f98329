import type { Answer, Operation, Result, Subjects } from './operation.js';
import type { ShardName } from './keys.js';
import type { Batch } from './store.js';

/** Something this process wants of one subject. */
export interface Intent {
  readonly subject: string;
  /** Whether it must be done regardless of outages. Others fail with the store. */
  readonly isLasting: boolean;
  readonly wantsSubjects: boolean;
  /** Returns the operation for the current state; null: nothing to do any longer. */
  prepare(): Operation | null;
  /** The store has done it. May follow on `failed` when the answer came late. */
  done(result: Result, subjects: Subjects | null): void;
  /** The store is unavailable; called at every failed attempt. */
  failed(error: unknown): void;
}

/** An intent that must be done and has no waiting caller. */
export const lasting = (subject: string, prepare: Intent['prepare'], done: Intent['done']): Intent => ({
  subject,
  isLasting: true,
  wantsSubjects: false,
  prepare,
  done,
  failed: () => undefined,
});

/** Holdings of this process in a shard, the authoritative source. */
export interface ShardOwner {
  /** Whether this process holds nothing. */
  readonly isEmpty: boolean;
  /** Holdings of this process by subject; 0: kept by a lease. */
  held(): ReadonlyMap<string, number>;
  /** Returns the intent that corrects the stored holding of a subject (undefined: none stored); null: correct. */
  correction(subject: string, stored: number | undefined): Intent | null;
}

/** Interface of the ledger to its shards. */
export interface ShardHost {
  /** Grows whenever a server may have taken the place of another. */
  readonly generation: number;
  /** The name this node has now. */
  readonly nodeId: string;
  /** Registers the shard for reapers of this node, before anything is held. */
  note(shard: ShardName): Promise<void>;
  apply(shard: ShardName, batch: Batch): Promise<Answer>;
  /** Result of a batch whose answer was lost; null: it had no effect and never will. */
  recall(shard: ShardName, nodeId: string, batch: Batch): Promise<Answer | null>;
  stored(shard: ShardName): Promise<ReadonlyMap<string, number>>;
  /** Reports a failed batch; the ledger decides when to retry. */
  stuck(shard: Shard, error: unknown): void;
}

const MAX_AT_ONCE = 100;
/** Limit of waiting intents, beyond which non-lasting ones are refused. */
const MAX_WAITING = 10_000;
let batches = 0;

interface Sent {
  readonly batch: Batch;
  /** The name this node had then. */
  readonly nodeId: string;
  readonly intents: readonly Intent[];
}

/**
 * Intents of this process on one shard, executed in consecutive batches. A batch without an answer is recalled first:
 * completed intents are reported, and others are retried or refused.
 */
export class Shard {
  #queue: Intent[] = [];
  /** Sent batch without an answer. */
  #sent: Sent | null = null;
  #running: Promise<void> | null = null;
  #isStuck = false;
  #isNoted = false;
  #needsAudit = false;
  /** Server generation of the last audit. */
  #generation: number;
  /** Number of the node's lifetime: stored holdings of earlier ones are ignored. */
  #life = 0;
  /** Whether nothing was wanted since the ledger looked last. */
  isQuiet = false;

  constructor(
    readonly name: ShardName,
    readonly owner: ShardOwner,
    private readonly host: ShardHost,
  ) {
    this.#generation = host.generation;
  }

  /** Nothing is held, wanted or in doubt. */
  get isEmpty(): boolean {
    return this.isIdle && this.owner.isEmpty;
  }

  /** A call has failed, and the next one waits for `resume`. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** An answer is awaited. */
  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Nothing is wanted or in doubt. */
  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#sent === null && this.#running === null && !this.#needsAudit;
  }

  add(intent: Intent): void {
    this.isQuiet = false;
    const isRefused = this.#isStuck || (!intent.isLasting && this.#queue.length >= MAX_WAITING);
    if (isRefused) {
      if (intent.isLasting) this.#queue.push(intent);
      intent.failed(new Error('the store is away or slow'));
      return;
    }
    this.#queue.push(intent);
    void this.#start();
  }

  /** Retries failed and uncertain intents. Resolves when all are done or have failed again; never rejects. */
  resume(): Promise<void> {
    this.#isStuck = false;
    return this.#start();
  }

  /** Compares the stored holdings of this node with the owner's and corrects them. Resolves and fails like `resume`. */
  audit(): Promise<void> {
    this.#needsAudit = true;
    this.#isNoted = false;
    return this.resume();
  }

  /**
   * Starts a new lifetime of the node, which has nothing in the store yet. Must be followed by `audit`. Sent batches
   * under the old name still count: only this node can report their changes.
   */
  restart(): void {
    this.#life += 1;
  }

  #start(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      // Something may have come in between the last look and now.
      if (!this.#isStuck && this.#queue.length > 0) void this.#start();
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    // Further intents of this turn join the batch.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      await this.#work();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #work(): Promise<void> {
    for (;;) {
      const life = this.#life;
      this.#noticeServer();
      if (this.#sent !== null) {
        const { nodeId, batch } = this.#sent;
        this.#resolve(this.#sent, await this.host.recall(this.name, nodeId, batch));
        continue;
      }
      if (this.#needsAudit) {
        await this.#lookThrough(life);
        continue;
      }
      if (!this.#isNoted && !(this.owner.isEmpty && this.#queue.length === 0)) {
        await this.host.note(this.name);
        this.#isNoted = life === this.#life;
        continue;
      }
      const sent = this.#next();
      if (sent === null) return;
      this.#sent = sent;
      this.#resolve(sent, await this.host.apply(this.name, sent.batch));
    }
  }

  /** Marks the stored data as possibly older after a server change. */
  #noticeServer(): void {
    const { generation } = this.host;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#needsAudit = true;
    this.#isNoted = false;
  }

  /** Distributes the result of a batch; null: it was not executed. */
  #resolve({ intents }: Sent, answer: Answer | null): void {
    this.#sent = null;
    if (answer === null) {
      this.#queue = [...intents.filter(({ isLasting }) => isLasting), ...this.#queue];
      return;
    }
    for (const [at, intent] of intents.entries()) {
      const result = answer.results[at];
      if (result !== undefined) intent.done(result, answer.subjects);
    }
  }

  /**
   * Builds a batch with at most one intent per subject, since the next intent depends on the result of the previous
   * one.
   */
  #next(): Sent | null {
    const intents: Intent[] = [];
    const operations: Operation[] = [];
    const subjects = new Set<string>();
    const later: Intent[] = [];
    for (const [at, intent] of this.#queue.entries()) {
      if (operations.length >= MAX_AT_ONCE) {
        later.push(...this.#queue.slice(at));
        break;
      }
      if (subjects.has(intent.subject)) {
        later.push(intent);
        continue;
      }
      const operation = intent.prepare();
      if (operation === null) continue;
      subjects.add(intent.subject);
      intents.push(intent);
      operations.push(operation);
    }
    this.#queue = later;
    if (operations.length === 0) return null;
    const wantsSubjects = intents.some((intent) => intent.wantsSubjects);
    const batch = { number: (batches += 1), operations, wantsSubjects };
    return { batch, nodeId: this.host.nodeId, intents };
  }

  async #lookThrough(life: number): Promise<void> {
    const stored = await this.host.stored(this.name);
    if (life !== this.#life) return;
    this.#needsAudit = false;
    const held = this.owner.held();
    const subjects = new Set([...stored.keys(), ...held.keys()]);
    const corrections: Intent[] = [];
    for (const subject of subjects) {
      if (stored.get(subject) === held.get(subject)) continue;
      const correction = this.owner.correction(subject, stored.get(subject));
      if (correction !== null) corrections.push(correction);
    }
    this.#queue = [...corrections, ...this.#queue];
  }

  #fail(error: unknown): void {
    this.#isStuck = true;
    const queue = this.#queue;
    this.#queue = queue.filter(({ isLasting }) => isLasting);
    for (const intent of [...(this.#sent?.intents ?? []), ...queue]) intent.failed(error);
    this.host.stuck(this, error);
  }
}
