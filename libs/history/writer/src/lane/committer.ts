import { type Stream, StoreFailure, streamName } from '@carillon/history-store';
import { within } from '@carillon/tracing';
import { rejected, verdict } from '../evaluate/answers.js';
import type { DecisionContext } from '../evaluate/draft.js';
import { evaluate, type Evaluation } from '../evaluate/evaluate.js';
import { KnownSummaries } from '../evaluate/known-summaries.js';
import { wantedOf } from '../evaluate/wanted.js';
import { annotatedIn } from '../evaluate/wanted-messages.js';
import type { Entry, EntryLane, Settled } from './entry.js';
import type { LoopOptions, LoopParts } from './loop-parts.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;
/** Delay before a stream held by another transaction is tried again. */
const HELD_PAUSE_MS = 20;
/** Consecutive failures after which the store, not the batch, counts as the cause. */
const MAX_IN_A_ROW = 3;

/** Outcome of an attempt. */
export interface Outcome {
  /** Entries to be committed later, after a delay. */
  readonly later: readonly Entry[];
  readonly pauseMs: number;
  /** Everything else should wait too: the store takes nothing. */
  readonly forAll: boolean;
  /** Reports the settled entries to their lanes; call once. Transactions started before see the results. */
  readonly settle: () => void;
}

const NOTHING: Outcome = { later: [], pauseMs: 0, forAll: false, settle: () => undefined };

/** Commits batches to the store, and isolates invalid records. */
export class Committer {
  /** Consecutive failures of the store. */
  #failures = 0;
  #count = 0;
  readonly #summaries = new KnownSummaries();
  readonly #nextCount = (): number => {
    this.#count += 1;
    return this.#count;
  };

  constructor(
    private readonly parts: LoopParts,
    private readonly options: LoopOptions,
  ) {}

  /**
   * Commits a batch. Never rejects. Records of held streams are retried, and so are all records after a temporary
   * failure; receipts resolve commits without an answer. If the store rejects a batch, it is split until the invalid
   * record is alone, so that only that one fails.
   */
  async commit(entries: readonly Entry[]): Promise<Outcome> {
    if (entries.length === 0) return NOTHING;
    try {
      const outcome = await this.#once(entries);
      this.#failures = 0;
      return outcome;
    } catch (thrown) {
      if (thrown instanceof StoreFailure) this.parts.events.retried(thrown.reason);
      if (!(thrown instanceof StoreFailure) || !thrown.transient) return this.#apart(entries, thrown);
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
      this.#failures += 1;
      for (const entry of entries) entry.isUncertain = true;
      return { ...NOTHING, later: entries, pauseMs, forAll: this.#failures > MAX_IN_A_ROW };
    }
  }

  async #once(entries: readonly Entry[]): Promise<Outcome> {
    const { store, clock, events } = this.parts;
    const arrivals = entries.map(({ arrival }) => arrival);
    const nowMs = clock.now();
    const begunMs = clock.elapsed();
    const known = this.#summaries.take(annotatedIn(arrivals));
    const context = { ...this.#context(entries, nowMs), summaries: known };
    // One transaction for all of them is shown as a part of the first.
    const { verdicts, changes, summaries } = await within(entries[0]?.span ?? null, () =>
      store.commit<Evaluation>(wantedOf(arrivals, nowMs, known), (found) =>
        evaluate(arrivals, found, context),
      ),
    );
    this.#summaries.keep(summaries);
    events.committed(entries.length, clock.elapsed() - begunMs);
    const settled: Settled[] = [];
    const held: Entry[] = [];
    for (const [index, entry] of entries.entries()) {
      const one = verdicts[index];
      if (one === undefined || one.result === null) held.push(entry);
      else settled.push({ entry, verdict: one });
    }
    return { later: held, pauseMs: HELD_PAUSE_MS, forAll: false, settle: settling(settled, changes.streams) };
  }

  #context(entries: readonly Entry[], nowMs: number): DecisionContext {
    const lanes = new Map(entries.map(({ arrival, lane }) => [arrival.stream, lane]));
    return {
      ...this.options,
      nowMs,
      newStreamId: this.parts.newStreamId,
      nextCount: this.#nextCount,
      handedOver: (stream) => lanes.get(streamName(stream.address))?.handedOver.serialOf(stream) ?? 0,
    };
  }

  async #apart(entries: readonly Entry[], failure: unknown): Promise<Outcome> {
    const [only] = entries;
    if (only !== undefined && entries.length === 1) {
      this.parts.events.recordFailed(failure);
      const failed = verdict(rejected(only.pubId, 'internal_error'));
      return { ...NOTHING, settle: settling([{ entry: only, verdict: failed }], null) };
    }
    const middle = Math.ceil(entries.length / 2);
    const first = await this.commit(entries.slice(0, middle));
    first.settle();
    // Entries behind a waiting one of the same stream or chain wait too.
    const waits = isBehind(first.later);
    const rest = entries.slice(middle);
    const second = await this.commit(rest.filter((entry) => !waits(entry)));
    return {
      later: [...first.later, ...rest.filter(waits), ...second.later],
      pauseMs: Math.max(first.pauseMs, second.pauseMs),
      forAll: second.forAll,
      settle: second.settle,
    };
  }
}

function isBehind(entries: readonly Entry[]): (entry: Entry) => boolean {
  const streams = new Set(entries.map(({ arrival }) => arrival.stream));
  const chains = new Set(entries.map(({ arrival }) => arrival.chain));
  return ({ arrival: { stream, chain } }) => streams.has(stream) || (chain !== null && chains.has(chain));
}

/**
 * Later records of a failed chain are skipped in any batch, so the failure is recorded before the next batch starts.
 */
function settling(settled: readonly Settled[], written: readonly Stream[] | null): () => void {
  for (const {
    entry,
    verdict: { result },
  } of settled) {
    const { chain } = entry.arrival;
    if (result?.status === 'rejected' && chain !== null) chain.broken = true;
  }
  return () => tell(settled, written);
}

/** Reports its entries to each lane. */
function tell(settled: readonly Settled[], written: readonly Stream[] | null): void {
  const parts = new Map<EntryLane, { readonly settled: Settled[]; readonly streams: Stream[] }>();
  const lanes = new Map<string, EntryLane>();
  for (const one of settled) {
    const { lane, arrival } = one.entry;
    const part = parts.get(lane) ?? { settled: [], streams: [] };
    part.settled.push(one);
    parts.set(lane, part);
    lanes.set(arrival.stream, lane);
  }
  for (const stream of written ?? []) {
    const lane = lanes.get(streamName(stream.address));
    if (lane !== undefined) parts.get(lane)?.streams.push(stream);
  }
  for (const [lane, part] of parts) lane.settled(part.settled, written === null ? null : part.streams);
}
