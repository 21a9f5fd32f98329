import type { CommitBody } from '@carillon/contracts';
import { CommitLoop } from '../lane/commit-loop.js';
import { Lane } from '../lane/lane.js';
import type { LaneOptions, LaneParts } from '../lane/parts.js';
import type { LoopOptions, LoopParts } from '../lane/loop-parts.js';
import { Verification } from '../writer/verification.js';
import type { CommitAnswer, CommitTransport } from './transport.js';

/** The writer of every lane, in the publisher's own process. */
export class LocalLanes implements CommitTransport {
  readonly #lanes = new Map<number, Lane>();

  readonly #parts: LaneParts;
  /** Null: not started. */
  #verification: Verification | null = null;

  constructor(
    parts: Omit<LaneParts, 'loop'> & LoopParts,
    private readonly options: Omit<LaneOptions, 'lane'> & LoopOptions,
  ) {
    this.#parts = { ...parts, loop: new CommitLoop(parts, options) };
  }

  laneInside(lane: number): Lane | null {
    return lane < this.options.lanes ? this.#lane(lane) : null;
  }

  async send({ lanes, lane, records, budget_ms: budgetMs, chain }: CommitBody): Promise<CommitAnswer> {
    if (lanes !== this.options.lanes || lane >= lanes) return { kind: 'refused', code: 'lane_mismatch' };
    const answer = await this.#lane(lane).submit({ records, budgetMs, chain });
    // The process ends: there is no other to wait for.
    return answer.kind === 'no_responder' ? { kind: 'refused', code: 'backpressure' } : answer;
  }

  /** Resends records that the previous process did not fan out. */
  async resendTails(): Promise<void> {
    for (let lane = 0; lane < this.options.lanes; lane += 1) await this.#lane(lane).resendTail();
  }

  /** From now on degraded streams are verified every minute, until all is closed; asked again, nothing changes. */
  beginVerifying(failed: (error: unknown) => void): void {
    const { store, clock } = this.#parts;
    const laneHere = (number: number): Lane => this.#lane(number);
    if (this.#verification !== null) return;
    this.#verification = new Verification({ store, clock, laneHere, failed }, this.options);
    this.#verification.begin();
  }

  /** All of them. */
  get serving(): readonly number[] {
    return Array.from({ length: this.options.lanes }, (_, lane) => lane);
  }

  /** Returns the number of waiting records by lane, without unused lanes. */
  get depths(): ReadonlyMap<number, number> {
    return new Map([...this.#lanes].map(([number, lane]) => [number, lane.queued]));
  }

  /** Refuses new records and finishes the accepted ones. */
  async close(): Promise<void> {
    this.#verification?.stop();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.close()));
  }

  #lane(lane: number): Lane {
    const found = this.#lanes.get(lane) ?? new Lane(this.#parts, { ...this.options, lane });
    this.#lanes.set(lane, found);
    return found;
  }
}
