import { type Changes, StoreFailure } from '@carillon/history-store';
import type { Verdict } from '../evaluate/answers.js';
import { expired, rejected, verdict } from '../evaluate/answers.js';
import { evaluate, type Evaluation } from '../evaluate/evaluate.js';
import { wantedOf } from '../evaluate/wanted.js';
import type { Entry } from './entry.js';
import type { HandedOver } from './handed-over.js';
import type { LaneOptions, LaneParts } from './parts.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

/** A record and what became of it. */
export interface Settled {
  readonly entry: Entry;
  readonly verdict: Verdict;
}

/** Told of a part of a batch as soon as it is settled. Without changes nothing was committed. */
export type SettledListener = (settled: readonly Settled[], changes: Changes | null) => void;

/** Brings a batch into the store, or tells why not. */
export class Committer {
  constructor(
    private readonly parts: LaneParts,
    private readonly options: LaneOptions,
    private readonly handedOver: HandedOver,
  ) {}

  /**
   * Settles every record of a batch. What can be tried again is, while a record has time left; receipts tell what a
   * commit without an answer came to. When the store takes a batch amiss its records go one by one, so that only the
   * one at fault fails. Never rejects.
   */
  async commit(batch: readonly Entry[], settled: SettledListener): Promise<void> {
    const { clock, events } = this.parts;
    let entries = batch;
    for (
      let pauseMs = FIRST_PAUSE_MS;
      entries.length > 0;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    ) {
      try {
        const { verdicts, changes } = await this.#once(entries);
        settled(withVerdicts(entries, verdicts), changes);
        return;
      } catch (thrown) {
        if (!(thrown instanceof StoreFailure) || !thrown.transient) {
          if (thrown instanceof StoreFailure) events.retried(thrown.reason);
          return this.#oneByOne(entries, thrown, settled);
        }
        events.retried(thrown.reason);
        await this.#pause(pauseMs);
        const now = clock.elapsed();
        const late = entries.filter(({ deadlineMs }) => deadlineMs <= now);
        settled(
          late.map((entry) => ({ entry, verdict: verdict(expired(entry.pubId)) })),
          null,
        );
        entries = entries.filter(({ deadlineMs }) => deadlineMs > now);
      }
    }
  }

  async #once(entries: readonly Entry[]): Promise<Evaluation> {
    const { transactions, clock, events, newStreamId } = this.parts;
    const { writerId, nodeId } = this.options;
    const arrivals = entries.map(({ arrival }) => arrival);
    const nowMs = clock.now();
    const begunMs = clock.elapsed();
    const context = {
      nowMs,
      writerId,
      nodeId,
      newStreamId,
      handedOver: this.handedOver.serialOf.bind(this.handedOver),
    };
    const evaluation = await transactions.commit(wantedOf(arrivals, nowMs), (found) =>
      evaluate(arrivals, found, context),
    );
    events.committed(entries.length, clock.elapsed() - begunMs);
    return evaluation;
  }

  async #oneByOne(entries: readonly Entry[], failure: unknown, settled: SettledListener): Promise<void> {
    const [only] = entries;
    if (only !== undefined && entries.length === 1) {
      this.parts.events.recordFailed(failure);
      settled([{ entry: only, verdict: verdict(rejected(only.pubId, 'internal_error')) }], null);
      return;
    }
    for (const entry of entries) await this.commit([entry], settled);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((done) => void this.parts.clock.after(ms, done));
  }
}

const withVerdicts = (entries: readonly Entry[], verdicts: readonly Verdict[]): Settled[] =>
  entries.flatMap((entry, index) => {
    const one = verdicts[index];
    return one === undefined ? [] : [{ entry, verdict: one }];
  });
