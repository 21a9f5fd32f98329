import { randomUUID } from 'node:crypto';
import type { Response } from '@carillon/contracts';
import { mergeAnswers } from '../merge-answers.js';
import type { Gathered } from '../port.js';
import type { Answer, Question } from '../question.js';
import { writing } from './question-message.js';

/** Parts of answers that one question takes; more are left out, and it stays incomplete. */
const MAX_PARTS = 4096;

type Kind = keyof Question;

export interface InquiryOptions<K extends Kind> {
  readonly kind: K;
  /** Answer of this process; null: it is not asked. */
  readonly own: Gathered<K> | null;
  /** Nodes that have not answered yet. */
  readonly awaited: Iterable<string>;
  /** Number of answers of other nodes required for a complete result. */
  readonly minAnswers: number;
  /** Longest silence of the other nodes, counted from the request or from the last partial answer. */
  readonly patienceMs: number;
  readonly timeoutMs: number;
}

/** One request to all other nodes, open until all have answered or it times out. */
export class Inquiry<K extends Kind> {
  readonly id: string = randomUUID();
  readonly #parts: Answer[K][];
  readonly #awaited: Set<string>;
  readonly #answered = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #patience: NodeJS.Timeout;
  readonly done: Promise<Gathered<K>>;
  #finish: (gathered: Gathered<K>) => void = () => {};
  #isWhole: boolean;
  #isOver = false;
  #isFound = false;

  constructor(private readonly options: InquiryOptions<K>) {
    this.#parts = options.own === null ? [] : [options.own.answer];
    this.#isWhole = options.own?.complete ?? true;
    this.#awaited = new Set(options.awaited);
    this.done = new Promise((resolve) => (this.#finish = resolve));
    this.#timer = setTimeout(() => this.end(), options.timeoutMs);
    this.#patience = setTimeout(() => this.end(), options.patienceMs);
    this.#look();
  }

  /** A part of a node's answer. One that has answered is not listened to again. */
  take(response: Response): void {
    const { node_id: nodeId, more = false } = response;
    if (this.#answered.has(nodeId)) return;
    if (!this.#isOver) this.#patience.refresh();
    const part = writing(this.options.kind).answered(response);
    if (part === undefined || this.#parts.length >= MAX_PARTS) this.#isWhole = false;
    else this.#parts.push(part);
    if (part !== undefined && writing(this.options.kind).isFound?.(part) === true) return this.#found();
    if (more) return;
    this.#answered.add(nodeId);
    this.gone(nodeId);
  }

  /** The only answer has arrived: no other node is awaited. */
  #found(): void {
    this.#awaited.clear();
    this.#isFound = true;
    this.end();
  }

  /** Nothing more is awaited of this node. */
  gone(nodeId: string): void {
    this.#awaited.delete(nodeId);
    this.#look();
  }

  /** Completes the request with the answers received so far. Idempotent. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#patience);
    const complete = this.#isFound || (this.#isWhole && this.#isAnswered);
    this.#finish({ answer: mergeAnswers(this.options.kind, this.#parts), complete });
  }

  get #isAnswered(): boolean {
    return this.#awaited.size === 0 && this.#answered.size >= this.options.minAnswers;
  }

  #look(): void {
    if (this.#isAnswered) this.end();
  }
}
