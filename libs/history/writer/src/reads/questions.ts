import { decodeReadAnswer, encode, READ, type ReadAnswerBody, type ReadBody } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';
import type { LaneBroker } from '@carillon/broker';
import type { Clock } from '../clock.js';

/** A writer that is silent for this long may be gone, and a gap has little time; the next are waited for twice as long. */
const ASK_AGAIN_MS = 500;
const NOBODY_PAUSE_MS = 50;
const MAX_AT_ONCE = 2;
/** Number of refusing lanes after which the store counts as unavailable: more requests would only add load. */
const MAX_REFUSALS = 7;

/** Request to a writer, without its lane and sender. */
export type Question = Omit<ReadBody, 'lane' | 'lanes' | 'node_id'>;

/** Outcome of a request to one writer. */
type Said =
  | { readonly kind: 'answer'; readonly body: ReadAnswerBody }
  /** Not final: it cannot read now, and another may. */
  | { readonly kind: 'refused'; readonly code: string; readonly isFinal: boolean }
  | { readonly kind: 'no_responder' | 'silent' };

/** Puts questions to the writers. Rejects with `service_unavailable`. */
export class Questions {
  constructor(
    private readonly broker: LaneBroker,
    private readonly clock: Clock,
    private readonly options: { readonly lanes: number; readonly nodeId: string },
  ) {}

  /**
   * Sends a request to the writer of a lane; without a responder, to that of the next lane, since all read the same
   * store. If a writer is silent or refuses, at most two are asked in parallel: when the store is unavailable, all
   * are silent. Every asked writer may answer until the end: if all are slow, a new one is not faster.
   */
  async ask(first: number, question: Question, deadlineMs: number): Promise<ReadAnswerBody> {
    const { lanes } = this.options;
    const told: { answer?: (said: Said) => void } = {};
    const answer = new Promise<Said>((resolve) => {
      told.answer = resolve;
    });
    let patienceMs = ASK_AGAIN_MS;
    let width = 1;
    let next = first;
    for (;;) {
      const leftMs = deadlineMs - this.clock.elapsed();
      if (leftMs <= 0) throw unavailable('no writer answered in time');
      const asked = Array.from({ length: Math.min(width, lanes) }, (_, index) => (next + index) % lanes);
      next += asked.length;
      const round = this.#round(asked, question, leftMs, (said) => told.answer?.(said));
      const said = await this.#within(Math.min(leftMs, patienceMs), Promise.race([round, answer]));
      if (said.kind === 'answer') return said.body;
      if (said.kind === 'refused' && (said.isFinal || next - first >= Math.min(lanes, MAX_REFUSALS)))
        throw unavailable(`the writer refuses: ${said.code}`);
      if (said.kind === 'silent') patienceMs *= 2;
      if (said.kind === 'no_responder') await this.#pause(Math.min(NOBODY_PAUSE_MS, leftMs));
      else width = MAX_AT_ONCE;
    }
  }

  /** Resolves with the first answer; without one, with the most informative failure. */
  #round(
    lanes: readonly number[],
    question: Question,
    budgetMs: number,
    answered: (said: Said) => void,
  ): Promise<Said> {
    return new Promise((resolve, reject) => {
      let waiting = lanes.length;
      let most: Said = { kind: 'no_responder' };
      const end = (said: Said): void => {
        waiting -= 1;
        if (most.kind === 'no_responder' || said.kind === 'refused') most = said;
        if (said.kind === 'answer') {
          answered(said);
          resolve(said);
        } else if (waiting === 0) resolve(most);
      };
      for (const lane of lanes) this.#call(lane, question, budgetMs).then(end, reject);
    });
  }

  /** Resolves with the outcome within that time; `silent` if there is none, and later failures are ignored. */
  async #within(ms: number, said: Promise<Said>): Promise<Said> {
    const timer: { stop?: () => void } = {};
    const silence = new Promise<Said>((resolve) => {
      timer.stop = this.clock.after(ms, () => resolve({ kind: 'silent' }));
    });
    try {
      return await Promise.race([said, silence]);
    } finally {
      timer.stop?.();
    }
  }

  async #call(lane: number, question: Question, budgetMs: number): Promise<Said> {
    const { lanes, nodeId } = this.options;
    const { maxBytes } = this.broker;
    const encoded = encode(READ, { lanes, lane, node_id: nodeId, ...question }, maxBytes);
    if (!encoded.ok) throw unavailable(`the question cannot be sent: ${encoded.detail}`);
    const heard = await this.broker.call({ use: 'read', lane }, encoded.text, budgetMs);
    if (heard.kind !== 'reply') return heard;
    const decoded = decodeReadAnswer(heard.text, maxBytes);
    if (!decoded.ok) throw unavailable('the answer cannot be read');
    const { message } = decoded;
    if (message.kind === 'read_answer') return { kind: 'answer', body: message };
    return { kind: 'refused', code: message.code, isFinal: message.code !== 'unavailable' };
  }

  #pause(ms: number): Promise<void> {
    return new Promise((done) => void this.clock.after(ms, done));
  }
}

export const unavailable = (text: string): ServiceError => new ServiceError('service_unavailable', { text });
