import { QueueUnavailable } from '../../failures.js';
import type { JetStreamSession } from './session.js';

const NANOSECONDS = 1_000_000;

/**
 * Acknowledges deliveries by their reply subject and waits for the confirmation of the server, unlike `nak()` and
 * `working()` of the client: those would take a renewal that the server never received for a longer lease. Every method
 * resolves with `false` if the consumer was deleted.
 */
export class Acknowledgements {
  /** Deliveries that are being settled: a renewal behind the settlement would turn a pause into a whole lease. */
  readonly #settling = new Set<string>();

  constructor(
    private readonly session: () => Promise<JetStreamSession>,
    private readonly timeoutMs: number,
  ) {}

  ack(token: string): Promise<boolean> {
    return this.#settle(token, '+ACK');
  }

  /** Makes the message ready again after so long. */
  nak(token: string, delayMs = 0): Promise<boolean> {
    const options = delayMs > 0 ? ` ${JSON.stringify({ delay: delayMs * NANOSECONDS })}` : '';
    return this.#settle(token, `-NAK${options}`);
  }

  /** Restarts the lease, unless the delivery is being settled. */
  async renew(token: string): Promise<boolean> {
    return this.#settling.has(token) || this.#request(token, '+WPI');
  }

  async #settle(token: string, words: string): Promise<boolean> {
    this.#settling.add(token);
    try {
      return await this.#request(token, words);
    } finally {
      this.#settling.delete(token);
    }
  }

  async #request(token: string, words: string): Promise<boolean> {
    const { connection } = await this.session();
    const answer = await connection.ask(token, words, this.timeoutMs);
    if (answer.kind === 'silent') throw new QueueUnavailable(`no answer in ${this.timeoutMs} ms`);
    return answer.kind === 'reply';
  }
}
