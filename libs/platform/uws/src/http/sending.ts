/** Longest wait of a response for an unread request body; the connection is closed afterwards. */
const BODY_WITHIN_MS = 500;

/**
 * When the answer to a request leaves. A request with a body is answered in a later turn of the event loop than the one
 * in which its body ended: the native parser ends a connection on which another request arrives before the answer, so a
 * request that was sent in one piece with the body never runs. The parser removes bytes above 0x7f around the headers
 * with the length of the body, so a proxy in front may see another end of the body, and a second request behind it.
 */
export class Sending {
  #state: 'open' | 'pending' | 'over' = 'open';
  #body: 'coming' | 'ended' | 'passed';
  #late: NodeJS.Timeout | null = null;

  /** @param send called once, unless it is cancelled */
  constructor(
    hasBody: boolean,
    private readonly send: () => void,
  ) {
    this.#body = hasBody ? 'coming' : 'passed';
  }

  /** Whether there is an answer that has not left. */
  get isPending(): boolean {
    return this.#state === 'pending';
  }

  /** Whether the answer leaves before the body has arrived. */
  get isEarly(): boolean {
    return this.#body === 'coming';
  }

  /** There is an answer. `closes`: it ends the connection, so that it need not wait for a body that is still coming. */
  begin(closes: boolean): void {
    this.#state = 'pending';
    if (this.#body === 'passed' || (closes && this.isEarly)) this.#leave();
    else if (this.isEarly) this.#late = setTimeout(() => this.#isLate(), BODY_WITHIN_MS).unref();
  }

  /** After a long event-loop turn, timers fire before data that has arrived is read. */
  #isLate(): void {
    setImmediate(() => {
      if (this.isPending && this.isEarly) this.#leave();
    });
  }

  bodyEnded(): void {
    if (this.#body !== 'coming') return;
    this.#body = 'ended';
    setImmediate(() => {
      this.#body = 'passed';
      if (this.isPending) this.#leave();
    });
  }

  /** The answer leaves as soon as there is one. */
  skip(): void {
    this.#body = 'passed';
  }

  /** The client is gone. Returns whether an answer was pending. */
  cancel(): boolean {
    const wasPending = this.isPending;
    this.#state = 'over';
    if (this.#late !== null) clearTimeout(this.#late);
    return wasPending;
  }

  #leave(): void {
    this.cancel();
    this.send();
  }
}
