import type { Answer, Operation, Result, Subjects } from './operation.js';
import type { ShardName } from './keys.js';
import type { Batch } from './store.js';

/** Something this process wants of one subject. */
export interface Intent {
  readonly subject: string;
  /** Whether it has to be done however long the store is away. Others fail with it. */
  readonly isLasting: boolean;
  readonly wantsSubjects: boolean;
  /** What to ask of the store, as things are now; null: there is nothing to do any more. */
  prepare(): Operation | null;
  /** The store has done it. May follow on `failed` when the answer came late. */
  done(result: Result, subjects: Subjects | null): void;
  /** The store is away; again at every try that fails. */
  failed(error: unknown): void;
}

/** An intent that has to be done, and that nobody waits for. */
export const lasting = (subject: string, prepare: Intent['prepare'], done: Intent['done']): Intent => ({
  subject,
  isLasting: true,
  wantsSubjects: false,
  prepare,
  done,
  failed: () => undefined,
});

/** What a process knows of a shard: the truth about its own part. */
export interface ShardOwner {
  /** Whether this process holds nothing. */
  readonly isEmpty: boolean;
  /** How much this process holds of each subject; 0: a lease keeps it. */
  held(): ReadonlyMap<string, number>;
  /** Brings the store into line about a subject of which it says this; undefined: nothing. Null: it is in line. */
  correction(subject: string, stored: number | undefined): Intent | null;
}

/** What a shard needs of its ledger. */
export interface ShardHost {
  /** Grows whenever a server may have taken the place of another. */
  readonly generation: number;
  /** The name this node has now. */
  readonly nodeId: string;
  /** Names the shard to those who clear up after this node, before anything is held. */
  note(shard: ShardName): Promise<void>;
  apply(shard: ShardName, batch: Batch): Promise<Answer>;
  /** What became of a batch without an answer; null: nothing, and nothing will. */
  recall(shard: ShardName, nodeId: string, batch: Batch): Promise<Answer | null>;
  stored(shard: ShardName): Promise<ReadonlyMap<string, number>>;
  /** A batch that failed is tried again when the ledger says so. */
  stuck(shard: Shard, error: unknown): void;
}

const MOST_AT_ONCE = 100;
/** Beyond it what is not lasting is refused. */
const MOST_WAITING = 10_000;
let batches = 0;

interface Sent {
  readonly batch: Batch;
  /** The name this node had then. */
  readonly nodeId: string;
  readonly intents: readonly Intent[];
}

/**
 * The intents of this process about one shard, one batch after the other. Before anything else, a batch whose answer
 * is missing is recalled: what it did is told, and what it did not do is done again or was refused.
 */
export class Shard {
  #queue: Intent[] = [];
  /** Asked for, not answered. */
  #sent: Sent | null = null;
  #running: Promise<void> | null = null;
  #isStuck = false;
  #isNoted = false;
  #needsAudit = false;
  /** Of the server that was looked through last. */
  #generation: number;
  /** What the store said in an earlier life of the node of what it holds means nothing. */
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
    const isRefused = this.#isStuck || (!intent.isLasting && this.#queue.length >= MOST_WAITING);
    if (isRefused) {
      if (intent.isLasting) this.#queue.push(intent);
      intent.failed(new Error('the store is away or slow'));
      return;
    }
    this.#queue.push(intent);
    void this.#start();
  }

  /** Tries again what failed or is in doubt. Resolves when all is done or it failed again; never rejects. */
  resume(): Promise<void> {
    this.#isStuck = false;
    return this.#start();
  }

  /** Looks whether the store says of this node what the owner does, and mends it. Resolves and fails like `resume`. */
  audit(): Promise<void> {
    this.#needsAudit = true;
    this.#isNoted = false;
    return this.resume();
  }

  /**
   * The node has a new life: nothing of it is in the store yet. To be followed by `audit`. What was asked under the old
   * name counts all the same: whom that added, nobody else will tell of.
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
    // What else comes in this turn goes in the same batch.
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

  /** What another server has may be older than what this process was told. */
  #noticeServer(): void {
    const { generation } = this.host;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#needsAudit = true;
    this.#isNoted = false;
  }

  /** Hands out what a batch came to; null: it was not done. */
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

  /** At most one intent a subject: what the next one asks for depends on what became of the one before. */
  #next(): Sent | null {
    const intents: Intent[] = [];
    const operations: Operation[] = [];
    const subjects = new Set<string>();
    const later: Intent[] = [];
    for (const [at, intent] of this.#queue.entries()) {
      if (operations.length >= MOST_AT_ONCE) {
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
