import type { CommitRecord, CommitRecordOf, CommitResult } from '@carillon/contracts';
import { type HistoryStore, type StreamAddress, streamName } from '@carillon/history-store';
import { addressOf, type StateHint } from './hint.js';
import type { KeptMark, StateHints } from './state-hints.js';

/** Commits records: each gets a result, in their order. */
export interface HistoryCommits {
  commit(records: readonly CommitRecord[]): Promise<readonly CommitResult[]>;
  /** One after another: after the first that is rejected the rest is answered `skipped`. */
  commitChain(records: readonly CommitRecord[]): Promise<readonly CommitResult[]>;
}

export interface MarkingCommitsParts {
  readonly commits: HistoryCommits;
  readonly hints: StateHints;
  readonly reads: Pick<HistoryStore, 'heads'>;
  readonly now: () => number;
  readonly onTrouble: (error: unknown) => void;
}

const AGAIN_MS = 5000;
/** Marks that are tried together; when all of them fail, the others are not tried before the next time. */
const AT_ONCE = 16;
/** Repeated by its source while it lasts, and over once a change is committed. */
const LAGGING = 'presence_history_commit_lagging';

/**
 * Commits for a process, and sees to it that no mark of a stream is lost while the store cannot take it: until then it
 * is a hint, and the same mark is committed again. A newer transition of the stream, as a reset is one, ends it.
 */
export class MarkingCommits implements HistoryCommits {
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(private readonly parts: MarkingCommitsParts) {}

  async commit(records: readonly CommitRecord[]): Promise<readonly CommitResult[]> {
    const atMs = this.parts.now();
    const results = await this.#commit(records, atMs);
    for (const [index, record] of records.entries()) {
      if (record.op === 'mark') await this.#marked(record, results[index], atMs);
      else if (record.op === 'reset') await this.#reset(record, results[index]);
      else if (record.op === 'presence') await this.#caughtUp(record, results[index]);
    }
    return results;
  }

  /** Commits a chain of events. */
  commitChain(records: readonly CommitRecord[]): Promise<readonly CommitResult[]> {
    return this.parts.commits.commitChain(records);
  }

  async #commit(records: readonly CommitRecord[], atMs: number): Promise<readonly CommitResult[]> {
    try {
      return await this.parts.commits.commit(records);
    } catch (error) {
      for (const record of records) if (record.op === 'mark') await this.#marked(record, undefined, atMs);
      throw error;
    }
  }

  /** Stops retrying; hints in the shared cache remain. */
  stop(): void {
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #marked(mark: CommitRecordOf<'mark'>, result: CommitResult | undefined, atMs: number): Promise<void> {
    const { hints } = this.parts;
    if (!isAway(result)) return hints.forget(addressOf(mark), atMs);
    this.#tryLater();
    await hints.keep(mark, atMs);
  }

  async #reset(
    { app_id: appId, channel, stream: kind }: CommitRecordOf<'reset'>,
    result: CommitResult | undefined,
  ): Promise<void> {
    if (isCommitted(result)) await this.parts.hints.clear({ appId, channel, kind });
  }

  async #caughtUp(
    { app_id: appId, channel }: CommitRecordOf<'presence'>,
    result: CommitResult | undefined,
  ): Promise<void> {
    const address: StreamAddress = { appId, channel, kind: 'presence' };
    const isLagging = this.parts.hints.keptOf(address)?.mark.reason === LAGGING;
    if (isLagging && isCommitted(result)) await this.parts.hints.forget(address, Number.MAX_SAFE_INTEGER);
  }

  #tryLater(): void {
    if (this.#isOver || this.#timer !== null) return;
    this.#timer = setTimeout(() => void this.#tryAll(), AGAIN_MS).unref();
  }

  async #tryAll(): Promise<void> {
    const { hints } = this.parts;
    let isAnswered = true;
    for (let at = 0, all = hints.kept; at < all.length && isAnswered && !this.#isOver; at += AT_ONCE) {
      const answered = await Promise.all(all.slice(at, at + AT_ONCE).map((one) => this.#try(one)));
      isAnswered = answered.some(Boolean);
    }
    this.#timer = null;
    if (hints.kept.length > 0) this.#tryLater();
  }

  /** Whether there is an answer. */
  async #try(kept: KeptMark): Promise<boolean> {
    const { hints, onTrouble } = this.parts;
    try {
      if (await this.#isSettled(kept)) {
        await hints.forget(addressOf(kept.mark), kept.hint.changedAtMs);
        return true;
      }
    } catch (error) {
      onTrouble(error);
    }
    hints.postpone(kept);
    await hints.share(kept);
    return kept.mark.reason === LAGGING;
  }

  /** Whether the store has the mark, refused it, or no longer needs it. */
  async #isSettled(kept: KeptMark): Promise<boolean> {
    const { mark, hint } = kept;
    if (await this.#isOutdated(hint, addressOf(mark))) return true;
    if (mark.reason === LAGGING) return false;
    const [result] = await this.parts.commits.commit([mark]);
    return !isAway(result);
  }

  /** Whether the store knows of a transition that is as new, or the stream is no more. */
  async #isOutdated({ changedAtMs }: StateHint, address: StreamAddress): Promise<boolean> {
    const stream = (await this.parts.reads.heads([address])).get(streamName(address));
    return stream === undefined || (stream.durable.changedAtMs ?? -1) >= changedAtMs;
  }
}

const isCommitted = (result: CommitResult | undefined): boolean =>
  result?.status === 'applied' || result?.status === 'duplicate';

const PASSING: ReadonlySet<unknown> = new Set(['backpressure', 'service_unavailable']);

/** Whether the store was unreachable. */
const isAway = (result: CommitResult | undefined): boolean =>
  result === undefined ||
  result.status === 'expired' ||
  (result.status === 'rejected' && PASSING.has(result.code));
