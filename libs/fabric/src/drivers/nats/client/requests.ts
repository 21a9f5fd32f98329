import { randomUUID } from 'node:crypto';
import type { Delivery } from './connection.js';

export type Answer =
  | { readonly kind: 'reply'; readonly text: string }
  /** Nobody takes such requests, as the server says. */
  | { readonly kind: 'no_responder' }
  | { readonly kind: 'silent' };

/** Open requests of one connection; more stay without an answer at once. */
const MAX_OPEN = 65_536;
const NOBODY = /^NATS\/1\.\d 503\b/;

interface Open {
  readonly settle: (answer: Answer) => void;
  readonly timer: NodeJS.Timeout;
}

/** Requests that wait for an answer, which comes to an inbox of this connection under the number of the request. */
export class Requests {
  readonly #open = new Map<string, Open>();
  readonly #inbox: string;
  #count = 0;

  /** @param prefix what the inbox begins with, so that it falls under what the installation may hear */
  constructor(prefix: string) {
    this.#inbox = `${prefix}.${randomUUID()}.`;
  }

  /** What is to be heard for answers to come. */
  get subject(): string {
    return `${this.#inbox}*`;
  }

  /** Whether nothing was asked so far. */
  get isNew(): boolean {
    return this.#count === 0;
  }

  /** @param send is given where the answer is to go */
  open(timeoutMs: number, send: (reply: string) => void): Promise<Answer> {
    if (this.#open.size >= MAX_OPEN) return Promise.resolve({ kind: 'silent' });
    this.#count += 1;
    const number = this.#count.toString(36);
    return new Promise((settle) => {
      const timer = setTimeout(() => this.#settle(number, { kind: 'silent' }), timeoutMs);
      this.#open.set(number, { settle, timer });
      send(this.#inbox + number);
    });
  }

  take({ subject, head, bytes }: Delivery): void {
    const isNobody = head !== null && bytes.byteLength === 0 && NOBODY.test(head.toString('latin1'));
    this.#settle(
      subject.slice(this.#inbox.length),
      isNobody ? { kind: 'no_responder' } : { kind: 'reply', text: bytes.toString() },
    );
  }

  /** No answer will come. */
  close(): void {
    for (const number of this.#open.keys()) this.#settle(number, { kind: 'silent' });
  }

  /** An answer that nobody waits for any more is dropped. */
  #settle(number: string, answer: Answer): void {
    const open = this.#open.get(number);
    if (open === undefined) return;
    this.#open.delete(number);
    clearTimeout(open.timer);
    open.settle(answer);
  }
}
