import { Calls } from '@carillon/runtime';
import { randomUUID } from 'node:crypto';
import { asReply, asRequest, replyHead, requestHead } from './letter-head.js';
import type { TakeRequest } from './line.js';
import type { Heard } from './port.js';

const NO_RESPONDER: Heard = { kind: 'no_responder' };

export interface CorrespondenceOptions {
  /** Reply address of this process. */
  readonly replyTo: string;
  /** Prefix of reply addresses: answers are sent to no other address. */
  readonly replyPrefix: string;
  /** Sends an answer; a failure is the requester's timeout. */
  readonly reply: (address: string, text: string) => Promise<void>;
}

/** Calls and answers over a broker that only carries messages. */
export class Correspondence {
  readonly #calls = new Calls<Heard>({ kind: 'silent' });

  constructor(private readonly options: CorrespondenceOptions) {}

  /** @param send sends the request; resolves with whether a server may have received it */
  call(
    text: string,
    budgetMs: number,
    send: (request: string, requestId: string) => Promise<boolean>,
  ): Promise<Heard> {
    const requestId = randomUUID();
    const request = asRequest(text, { requestId, replyTo: this.options.replyTo });
    return this.#calls.begin(requestId, budgetMs, () => {
      // The budget does not wait for the broker to take it.
      send(request, requestId).then(
        (isReached) => isReached || this.#calls.end(requestId, NO_RESPONDER),
        (error: unknown) => {
          const reason = error instanceof Error ? error : new Error('refused by the broker');
          this.#calls.fail(requestId, reason);
        },
      );
    });
  }

  /** The broker gave a request back. */
  returned(requestId: string): void {
    this.#calls.end(requestId, NO_RESPONDER);
  }

  /** Handles a possible answer. Answers without a pending request are dropped. */
  replied(bytes: Uint8Array): void {
    const requestId = replyHead(bytes);
    if (requestId === null || !this.#calls.has(requestId)) return;
    this.#calls.end(requestId, { kind: 'reply', text: Buffer.from(bytes).toString('utf8') });
  }

  /** Handles a possible request. */
  requested(bytes: Uint8Array, take: TakeRequest): void {
    const head = requestHead(bytes);
    if (head === null || !head.replyTo.startsWith(this.options.replyPrefix)) return;
    take(bytes, (text) => {
      this.options.reply(head.replyTo, asReply(text, head.requestId)).catch(() => undefined);
    });
  }

  /** Ends the pending requests when the session is lost. */
  close(): void {
    this.#calls.close();
  }
}
