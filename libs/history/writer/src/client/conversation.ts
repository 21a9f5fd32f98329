import type { CommitBody } from '@carillon/contracts';
import type { Clock } from '../clock.js';
import type { CommitAnswer, CommitTransport } from './transport.js';

/** Delays before a request without a responder is sent again; the last one repeats. */
const NO_RESPONDER_PAUSES_MS = [50, 100, 200, 400];
/** Each pause is longer or shorter by this part. */
const SPREAD = 0.2;
/** Limit of the time without a responder, after which the request fails. */
const NO_RESPONDER_MS = 3000;
/** Interval of resending to a silent writer. */
const SILENT_MS = 1000;

/** Outcome of a request. */
export type ConversationEnd = Extract<CommitAnswer, { readonly kind: 'committed' }> | Failure;
interface Failure {
  readonly kind: 'failed';
  readonly code: 'backpressure' | 'service_unavailable';
  /** Error text for the publisher; absent: the text of the error row. */
  readonly text?: string;
}

const unavailable = (text: string): Failure => ({ kind: 'failed', code: 'service_unavailable', text });
const TOO_LATE = unavailable('the history has not confirmed it in time');
const NO_WRITER = unavailable('no history writer answers');

export interface ConversationParts {
  readonly clock: Clock;
  readonly transport: CommitTransport;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly resent: (cause: 'no_responder' | 'silent') => void;
  /** Called with the outcome and duration of a request. Absent: not measured. */
  readonly ended?: (result: 'committed' | Failure['code'], afterMs: number) => void;
}

/**
 * One request until its answer, sent as often as it takes. `backpressure` counts only as the answer to the first
 * sending: after that an earlier one may still be committed. Nothing is sent once the deadline is over.
 */
export class Conversation {
  readonly end: Promise<ConversationEnd>;
  #finish: (end: ConversationEnd) => void = () => {};
  #over = false;
  #sends = 0;
  #unheard = 0;
  #cancel: () => void = () => {};
  #firstSentMs = 0;

  constructor(
    private readonly parts: ConversationParts,
    private readonly request: Omit<CommitBody, 'budget_ms'>,
    private readonly deadlineMs: number,
  ) {
    this.end = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#firstSentMs = parts.clock.elapsed();
    this.#send();
  }

  #send(): void {
    const { clock, transport } = this.parts;
    const leftMs = Math.floor(this.deadlineMs - clock.elapsed());
    if (leftMs <= 0) {
      this.#settle(TOO_LATE);
      return;
    }
    this.#sends += 1;
    const number = this.#sends;
    this.#next(Math.min(SILENT_MS, leftMs), 'silent');
    transport
      .send({ ...this.request, budget_ms: leftMs })
      .catch((): CommitAnswer => ({ kind: 'no_responder' }))
      .then((answer) => this.#heard(answer, number))
      .catch(() => this.#settle(NO_WRITER));
  }

  #heard(answer: CommitAnswer, number: number): void {
    if (this.#over) return;
    if (answer.kind === 'committed') this.#settle(answer);
    else if (answer.kind === 'no_responder') this.#unheardAt(number);
    else if (answer.code !== 'backpressure') this.#settle(NO_WRITER);
    else if (number === 1) this.#settle({ kind: 'failed', code: 'backpressure' });
  }

  #unheardAt(number: number): void {
    // A later sending is on its way already.
    if (number !== this.#sends) return;
    if (this.parts.clock.elapsed() - this.#firstSentMs >= NO_RESPONDER_MS) {
      this.#settle(NO_WRITER);
      return;
    }
    const pauseMs =
      NO_RESPONDER_PAUSES_MS[Math.min(this.#unheard, NO_RESPONDER_PAUSES_MS.length - 1)] ?? SILENT_MS;
    this.#unheard += 1;
    this.#next(pauseMs * (1 - SPREAD + 2 * SPREAD * this.parts.random()), 'no_responder');
  }

  #next(afterMs: number, cause: 'no_responder' | 'silent'): void {
    this.#cancel();
    this.#cancel = this.parts.clock.after(afterMs, () => {
      this.parts.resent(cause);
      this.#send();
    });
  }

  #settle(end: ConversationEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancel();
    const { clock, ended } = this.parts;
    ended?.(end.kind === 'failed' ? end.code : end.kind, clock.elapsed() - this.#firstSentMs);
    this.#finish(end);
  }
}
