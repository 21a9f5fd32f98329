import type { Authorization, ChannelToAuthorize } from '../auth/authorizer.js';
import { type Clock, inTime } from '../connection/clock.js';
import { type CarillonError, errorOf } from '../error.js';
import type { Frame } from '../format/frame.js';
import type { Pacer } from './pacer.js';
import { subscribeData, type SubscribeOptions } from './options.js';

/** Dependencies of {@link Asking}. */
export interface AskingParts {
  readonly clock: Clock;
  /** Shared by all channels of the client. */
  readonly pacer: Pacer;
  /** Returns the delay before a retry, counted from 0. */
  readonly retryMs: (attempt: number) => number;
  /** False: there is no established connection. */
  readonly send: (frame: Frame) => boolean;
  /** Null: the channel needs none. */
  readonly authorize: ((about: ChannelToAuthorize) => Promise<Authorization>) | null;
  readonly onAuthorized: (authorization: Authorization) => void;
}

/** From this status on, the failure of the service or of the app's own server is temporary and can be retried. */
const RETRY_FROM = 500;

/** Requests a subscription from the service, with the app's authorization. Retries on temporary failures. */
export class Asking {
  /** Whether the requested rewind is incomplete. */
  isRewinding = false;
  /** The number of the latest request; results of earlier ones are ignored. */
  #request = 0;
  /** The service has a request that it did not answer yet. */
  #isOpen = false;
  /** The number of failed attempts since the last success. */
  #attempt = 0;
  #stopRetry: () => void = () => undefined;
  #again: () => void = () => undefined;
  #answered: () => void = () => undefined;

  constructor(
    private readonly channel: string,
    private readonly parts: AskingParts,
    private readonly onFailed: (error: CarillonError) => void,
  ) {}

  async ask(socketId: string, options: SubscribeOptions, rewinds: boolean): Promise<void> {
    this.stop();
    const request = this.#request;
    const { channel } = this;
    this.#isOpen = true;
    this.#again = () => void this.ask(socketId, options, rewinds);
    const { authorize, clock, pacer, send, onAuthorized } = this.parts;
    try {
      const authorization = authorize === null ? null : await inTime(clock, authorize({ socketId, channel }));
      if (request !== this.#request) return;
      if (authorization !== null) onAuthorized(authorization);
      this.isRewinding = rewinds && options.rewind !== undefined;
      const { shared_secret: _, ...signed } = authorization ?? {};
      const data = { channel, ...signed, ...subscribeData(options, rewinds) };
      this.#answered = pacer.run(() => send({ event: 'service:subscribe', data }));
    } catch (error) {
      if (request !== this.#request) return;
      this.onFailed(errorOf(error, channel));
    }
  }

  /** Cancels the request: the channel is no longer wanted, or the connection was lost. */
  stop(): void {
    this.#request += 1;
    this.#isOpen = false;
    this.#stopRetry();
    this.#answered();
  }

  succeeded(): void {
    this.#isOpen = false;
    this.#answered();
    this.#attempt = 0;
  }

  /** `again`: it will be retried. `unasked`: no request was pending, so a subscription was revoked. */
  failed(status: number | null): 'again' | 'refused' | 'unasked' {
    this.#stopRetry();
    if (!this.#isOpen) return 'unasked';
    this.#isOpen = false;
    this.#answered();
    if ((status ?? 0) < RETRY_FROM) return 'refused';
    this.#stopRetry = this.parts.clock.after(this.parts.retryMs(this.#attempt++), this.#again);
    return 'again';
  }
}
