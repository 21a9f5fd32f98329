import { MAX_UNIQUE_MS, type LiveEvent } from './live-event.js';

/** Limit per generation over all apps; there are two generations. Beyond it, the oldest ids are evicted early. */
const REMEMBERED = 65_536;

type UntilById = Map<string, number>;

/** Remembers events that are unique for a while, so that a publish tried again is noticed. Others cost it nothing. */
export class Repeats {
  #young: UntilById = new Map();
  #old: UntilById = new Map();
  #turnsAtMs = 0;

  /** The clock never goes back. */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * Whether the event is a duplicate within its deduplication time. Duplicates do not extend that time, so that it
   * ends before the idempotency key of the publish does.
   */
  isRepeat({ appId, eventId, uniqueForMs }: LiveEvent): boolean {
    if (uniqueForMs === undefined) return false;
    const nowMs = this.nowMs();
    const id = `${appId} ${eventId}`;
    const untilMs = this.#young.get(id) ?? this.#old.get(id) ?? 0;
    if (nowMs < untilMs) return true;
    if (nowMs >= this.#turnsAtMs || this.#young.size >= REMEMBERED) this.#turn(nowMs);
    this.#young.set(id, nowMs + uniqueForMs);
    return false;
  }

  #turn(nowMs: number): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#turnsAtMs = nowMs + MAX_UNIQUE_MS;
  }
}
