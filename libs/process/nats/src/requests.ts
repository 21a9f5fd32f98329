import { Calls } from '@carillon/runtime';
import { randomUUID } from 'node:crypto';
import type { NatsAnswer } from './answer.js';
import type { Delivery } from './delivery.js';

const NOBODY = /^NATS\/1\.\d 503\b/;

/** Requests that wait for an answer, which comes to an inbox of this connection under the number of the request. */
export class Requests {
  readonly #calls = new Calls<NatsAnswer>({ kind: 'silent' });
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
  open(timeoutMs: number, send: (reply: string) => void): Promise<NatsAnswer> {
    this.#count += 1;
    const number = this.#count.toString(36);
    return this.#calls.begin(number, timeoutMs, () => send(this.#inbox + number));
  }

  take({ subject, head, bytes }: Delivery): void {
    const isNobody = head !== null && bytes.byteLength === 0 && NOBODY.test(head.toString('latin1'));
    this.#calls.end(
      subject.slice(this.#inbox.length),
      isNobody ? { kind: 'no_responder' } : { kind: 'reply', text: bytes.toString() },
    );
  }

  /** No answer will come. */
  close(): void {
    this.#calls.close();
  }
}
