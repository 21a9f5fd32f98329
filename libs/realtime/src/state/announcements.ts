import { randomUUID } from 'node:crypto';
import type { Broker, LiveEvent } from '@carillon/broker';
import { type StateFact, subjectOf } from '@carillon/protocol';

/** Subject of an announcement. */
export interface Announcement {
  readonly appId: string;
  readonly channel: string;
  readonly fact: StateFact;
  /** Socket to exclude; null excludes none. */
  readonly exceptSocketId: string | null;
}

type StateEvent = LiveEvent & { readonly fact: StateFact };

/** Dependencies of `Announcements`. */
export interface AnnouncementParts {
  readonly broker: Pick<Broker, 'publish'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Limit of states that other processes have not received. Beyond it the oldest are dropped; other processes find them
 * when they compare with the store.
 */
const MAX_UNTOLD = 10_000;
const RETRY_MS = 1000;

const nowMs = (): number => performance.timeOrigin + performance.now();
const keyOf = ({ appId, channel, fact }: StateEvent): string => {
  const subject = `${appId} ${channel} ${subjectOf(fact)}`;
  // Subscribers receive every update of a member, but only the last state of everything else.
  return fact.kind === 'member_updated' ? `${subject} ${fact.serial}` : subject;
};

/**
 * Publishes the current state to the subscribers of channels in all processes. Failed publications are retried until
 * they succeed or are obsolete: every update of a member, but only the last state of everything else.
 */
export class Announcements {
  readonly #untold = new Map<string, StateEvent>();
  #isOutOfReach = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: AnnouncementParts) {}

  /** Delivers synchronously to subscribers of this process. Never throws. */
  announce(announcement: Announcement): void {
    const event = { ...announcement, eventId: randomUUID(), publishedAtMs: nowMs() };
    this.#untold.delete(keyOf(event));
    this.#publish(event);
  }

  outOfReach(): void {
    this.#isOutOfReach = true;
  }

  inReachAgain(): void {
    this.#isOutOfReach = false;
    this.#again();
  }

  /** Stops retrying. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#untold.clear();
  }

  #publish(event: StateEvent): void {
    this.parts.broker.publish(event)?.catch((error: unknown) => this.#keep(event, error));
  }

  /** A later state of the same subject may have been published or queued since. */
  #keep(event: StateEvent, error: unknown): void {
    if (this.#untold.size === 0) this.parts.onTrouble('telling other processes', error);
    const key = keyOf(event);
    const waiting = this.#untold.get(key);
    if (waiting !== undefined && waiting.fact.serial > event.fact.serial) return;
    this.#untold.delete(key);
    this.#untold.set(key, event);
    const [oldest] = this.#untold.keys();
    if (this.#untold.size > MAX_UNTOLD && oldest !== undefined) this.#untold.delete(oldest);
    if (!this.#isOutOfReach) this.#timer ??= setTimeout(() => this.#again(), RETRY_MS).unref();
  }

  #again(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const untold = [...this.#untold.values()];
    this.#untold.clear();
    for (const event of untold) this.#publish(event);
  }
}
