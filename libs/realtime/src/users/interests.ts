import type { Broker } from '@carillon/broker';

/** A requested interest that is not confirmed yet. */
interface Wanted {
  readonly appId: string;
  readonly channel: string;
  /** Settles with the first attempt, successful or not; never rejects. */
  tried: Promise<void>;
}

/** Delay before a failed request to the broker is retried. */
const RETRY_MS = 5000;

const keyOf = (appId: string, channel: string): string => `${appId} ${channel}`;

/**
 * Interest in channels without subscribers: those of users. No client can be notified of a failure, so it is retried
 * until the broker confirms it or the interest ends.
 */
export class Interests {
  readonly #unconfirmed = new Map<string, Wanted>();
  #failed = new Set<Wanted>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly broker: Pick<Broker, 'subscribe' | 'unsubscribe'>,
    private readonly onTrouble: (what: string, error: unknown) => void,
  ) {}

  /**
   * Registers an interest until `drop`; idempotent. Undefined: it is confirmed. Otherwise settles with the first
   * attempt.
   */
  want(appId: string, channel: string): Promise<void> | undefined {
    const interest = this.broker.subscribe(appId, channel);
    if (interest === undefined) return undefined;
    const wanted: Wanted = { appId, channel, tried: Promise.resolve() };
    this.#unconfirmed.set(keyOf(appId, channel), wanted);
    wanted.tried = this.#follow(wanted, interest);
    return wanted.tried;
  }

  /** The first attempt of a pending request, for other callers to wait for. */
  attempt(appId: string, channel: string): Promise<void> | undefined {
    return this.#unconfirmed.get(keyOf(appId, channel))?.tried;
  }

  drop(appId: string, channel: string): void {
    const key = keyOf(appId, channel);
    const wanted = this.#unconfirmed.get(key);
    if (wanted !== undefined) this.#failed.delete(wanted);
    this.#unconfirmed.delete(key);
    this.broker.unsubscribe(appId, channel);
  }

  /** Stops retrying. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#unconfirmed.clear();
    this.#failed.clear();
  }

  async #follow(wanted: Wanted, interest: Promise<void>): Promise<void> {
    try {
      await interest;
      if (this.#isWanted(wanted)) this.#unconfirmed.delete(keyOf(wanted.appId, wanted.channel));
    } catch (error) {
      if (!this.#isWanted(wanted)) return;
      this.onTrouble('interest in a user', error);
      this.#failed.add(wanted);
      this.#timer ??= setTimeout(() => this.#retry(), RETRY_MS).unref();
    }
  }

  #retry(): void {
    this.#timer = null;
    const failed = this.#failed;
    this.#failed = new Set();
    for (const wanted of failed) {
      const interest = this.broker.subscribe(wanted.appId, wanted.channel);
      void this.#follow(wanted, interest ?? Promise.resolve());
    }
  }

  #isWanted(wanted: Wanted): boolean {
    return this.#unconfirmed.get(keyOf(wanted.appId, wanted.channel)) === wanted;
  }
}
