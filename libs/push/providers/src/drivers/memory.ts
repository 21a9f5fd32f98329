import { setMaxListeners } from 'node:events';
import type { Credential } from '../credentials/credential.js';
import { accepted, retryable, type SendOutcome } from '../outcome.js';
import type { PushClient, PushProviders, SendRequest } from '../port.js';
import type { Provider } from '../provider.js';

/** A send as it arrived at one of the clouds in memory. */
export interface Arrival extends SendRequest {
  readonly provider: Provider;
  readonly credential: Credential;
  /** Earlier sends of this delivery key, with any outcome. */
  readonly earlier: number;
}

/** Returns the outcome of a send. Must not throw. */
export type Answer = (arrival: Arrival) => SendOutcome | Promise<SendOutcome>;

const MAX_ARRIVALS = 1_000_000;

/** Clouds with scripted outcomes that record sends. They accept everything by default. */
export class MemoryClouds implements PushProviders {
  readonly #arrivals: Arrival[] = [];
  readonly #counts = new Map<string, number>();
  #answer: Answer = () => accepted(`memory-${this.#arrivals.length}`);
  #open = 0;

  /** The first million, in order. */
  get arrivals(): readonly Arrival[] {
    return this.#arrivals;
  }

  /** Clients that were opened and not closed. */
  get openClients(): number {
    return this.#open;
  }

  /** Sets the outcome of all later sends. */
  answer(answer: Answer): void {
    this.#answer = answer;
  }

  async open(credential: Credential): Promise<PushClient> {
    this.#open += 1;
    let closed = false;
    return {
      provider: credential.provider,
      usage: { connections: 0, streams: 0 },
      send: (request, signal) => (closed ? lost() : this.#arrive(request, credential, signal)),
      close: async () => {
        if (!closed) this.#open -= 1;
        closed = true;
      },
    };
  }

  async #arrive(request: SendRequest, credential: Credential, signal: AbortSignal): Promise<SendOutcome> {
    if (signal.aborted) return lost();
    const earlier = this.#counts.get(request.deliveryKey) ?? 0;
    const arrival = { ...request, provider: credential.provider, credential, earlier };
    if (this.#arrivals.length < MAX_ARRIVALS) this.#arrivals.push(arrival);
    this.#counts.set(request.deliveryKey, earlier + 1);
    const settled = new AbortController();
    // All of a batch that are under way listen to the one signal of its job, each until it is answered.
    setMaxListeners(0, signal);
    const aborted = new Promise<SendOutcome>((resolve) => {
      signal.addEventListener('abort', () => resolve(lost()), { once: true, signal: settled.signal });
    });
    try {
      return await Promise.race([this.#answer(arrival), aborted]);
    } finally {
      settled.abort();
    }
  }
}

const lost = async (): Promise<SendOutcome> =>
  retryable('network_transport', 'network_transport', 'connection lost');
