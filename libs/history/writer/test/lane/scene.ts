import { randomUUID } from 'node:crypto';
import type { CommitRecord, CommitResult, FanOutRecordBody } from '@carillon/contracts';
import {
  type Changes,
  type Found,
  MemoryHistoryStore,
  StoreFailure,
  type Wanted,
} from '@carillon/history-store';
import { Lane, type LaneAnswer, type LaneEvents } from '../../src/index.js';
import { CommitLoop } from '../../src/lane/commit-loop.js';
import { ManualClock } from '../manual-clock.js';
import { SILENT_EVENTS } from '../silent-events.js';

/** Fault injected around a commit: called before and after it; may wait or throw. */
export interface Fault {
  readonly before?: (wanted: Wanted, changes: Changes | null) => void | Promise<void>;
  readonly after?: () => void | Promise<void>;
  /** Names of streams held by another transaction. */
  readonly held?: ReadonlySet<string>;
}

/** Loses the answers of the first `commits` commits. */
export function lostAnswers(commits: number): () => void {
  let left = commits;
  return () => {
    left -= 1;
    if (left >= 0) throw new StoreFailure('connection', 'the answer was lost');
  };
}

export class FaultyStore extends MemoryHistoryStore {
  fault: Fault = {};

  override async commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    const { before, after, held } = this.fault;
    await before?.(wanted, null);
    const decision = await super.commit(wanted, (found) => {
      const free = new Map([...found.streams].filter(([name]) => held?.has(name) !== true));
      const decided = decide({ ...found, streams: free });
      void before?.(wanted, decided.changes);
      return decided;
    });
    await after?.();
    return decision;
  }
}

/** Commit loop of a process over a memory store with injected faults. */
export class LoopScene {
  readonly store: FaultyStore;
  readonly clock = new ManualClock();
  readonly batches: number[] = [];
  readonly retries: string[] = [];
  readonly failures: unknown[] = [];
  readonly handOverFailures: unknown[] = [];
  readonly events: LaneEvents = {
    ...SILENT_EVENTS,
    retried: (cause) => this.retries.push(cause),
    recordFailed: (error) => this.failures.push(error),
    committed: (records) => this.batches.push(records),
    handOverFailed: (error) => this.handOverFailures.push(error),
  };
  readonly loop: CommitLoop;

  constructor(
    readonly writerId = 'w1',
    store?: FaultyStore,
  ) {
    this.store = store ?? new FaultyStore();
    const parts = { store: this.store, clock: this.clock, events: this.events, newStreamId: randomUUID };
    this.loop = new CommitLoop(parts, { writerId, nodeId: 'n1' });
  }
}

/** A lane of a process: of one of its own unless another is named. */
export class LaneScene {
  readonly sent: FanOutRecordBody[] = [];
  handOver: (records: readonly FanOutRecordBody[]) => Promise<void> = async () => {};
  readonly store: FaultyStore;
  readonly clock: ManualClock;
  readonly batches: number[];
  readonly retries: string[];
  readonly failures: unknown[];
  readonly handOverFailures: unknown[];
  readonly lane: Lane;

  constructor(queueCapacity = 4096, process = new LoopScene()) {
    const { store, clock, loop, events, writerId } = process;
    this.store = store;
    this.clock = clock;
    this.batches = process.batches;
    this.retries = process.retries;
    this.failures = process.failures;
    this.handOverFailures = process.handOverFailures;
    const fanOut = async (records: readonly FanOutRecordBody[]): Promise<void> => {
      await this.handOver(records);
      this.sent.push(...records);
    };
    this.lane = new Lane(
      { store, loop, clock, fanOut, events },
      { lane: 0, lanes: 1, writerId, queueCapacity },
    );
  }

  submit(
    records: readonly CommitRecord[],
    more: { budgetMs?: number; chain?: boolean } = {},
  ): Promise<LaneAnswer> {
    return this.lane.submit({ records, budgetMs: 5000, chain: false, ...more });
  }

  async results(
    records: readonly CommitRecord[],
    more: { budgetMs?: number; chain?: boolean } = {},
  ): Promise<readonly CommitResult[]> {
    return resultsOf(await this.submit(records, more));
  }

  /** Serials of a channel seen by gateways. */
  serials(channel: string): (number | null | undefined)[] {
    return this.sent.filter((record) => record.channel === channel).map(({ serial }) => serial);
  }
}

function resultsOf(answer: LaneAnswer): readonly CommitResult[] {
  if (answer.kind !== 'committed') throw new Error(answer.kind);
  return answer.results;
}

/** A door that can be waited at. */
export class Gate {
  #open: () => void = () => {};
  readonly opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  open(): void {
    this.#open();
  }
}

/** The store does not let anything be read. */
export const unreadable = async (): Promise<never> => {
  throw new StoreFailure('connection', 'the connection is dead');
};

/** Returns the stored fan-out progress of a channel. */
export const fannedOut = async ({ store }: LaneScene, channel = 'a'): Promise<number | undefined> =>
  [...(await store.heads([{ appId: 'shop', channel, kind: 'messages' }])).values()][0]?.fannedOutSerial;
