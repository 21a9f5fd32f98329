/** How many deliveries run and wait in one process. */
export interface SlotBounds {
  /** Running in all. */
  readonly total: number;
  /** Running to one endpoint: less than all, so that none can have them all. */
  readonly perEndpoint: number;
  /** Running to all endpoints together that were slow the last time. */
  readonly slow: number;
  /** Running to one of those. */
  readonly perSlowEndpoint: number;
  /** Waiting here for their turn, in all and for one endpoint. Beyond, they are told to come back later. */
  readonly waiting: number;
  readonly waitingPerEndpoint: number;
}

export const SLOT_BOUNDS: SlotBounds = {
  total: 20,
  perEndpoint: 5,
  slow: 10,
  perSlowEndpoint: 2,
  waiting: 100,
  waitingPerEndpoint: 40,
};

/** A delivery that took longer makes its endpoint a slow one, until one is quicker. */
const SLOW_MS = 1000;
const SHORTEST_AGAIN_MS = 250;
const LONGEST_AGAIN_MS = 15_000;
/** Endpoints remembered while nothing of theirs runs or waits. */
const MOST_LANES = 1000;

/** A right to run one delivery; give it back with how long it took. */
export interface Slot {
  readonly kind: 'slot';
  release(tookMs: number): void;
}

/** No turn for now: come back after so long. */
export interface Busy {
  readonly kind: 'busy';
  readonly againMs: number;
}

interface Lane {
  readonly endpoint: string;
  running: number;
  isSlow: boolean;
  lastMs: number;
  /** When those that were sent away are expected to have had their turn. */
  freeAtMs: number;
  readonly waiting: Set<() => void>;
}

/**
 * Shares the deliveries of a process among endpoints, so that one that is dead or slow delays no other: nobody has
 * more than its part, all the slow ones together leave room for the others, and whoever finds no room comes back.
 */
export class Slots {
  readonly #lanes = new Map<string, Lane>();
  #running = 0;
  #slowRunning = 0;
  #waiting = 0;

  constructor(
    private readonly bounds: SlotBounds = SLOT_BOUNDS,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A slot at once or when it is its turn. An aborted wait ends as busy. */
  async enter(endpoint: string, signal: AbortSignal): Promise<Slot | Busy> {
    const lane = this.#lane(endpoint);
    if (this.#fits(lane) && lane.waiting.size === 0) return this.#take(lane);
    const { waiting, waitingPerEndpoint, perSlowEndpoint } = this.bounds;
    const most = lane.isSlow ? perSlowEndpoint : waitingPerEndpoint;
    if (this.#waiting >= waiting || lane.waiting.size >= most) return this.#busy(lane);
    return this.#wait(lane, signal);
  }

  #wait(lane: Lane, signal: AbortSignal): Promise<Slot | Busy> {
    return new Promise((resolve) => {
      const leave = (): void => {
        lane.waiting.delete(begin);
        this.#waiting -= 1;
        signal.removeEventListener('abort', giveUp);
      };
      const begin = (): void => {
        leave();
        resolve(this.#take(lane));
      };
      const giveUp = (): void => {
        leave();
        this.#forget(lane);
        resolve({ kind: 'busy', againMs: 0 });
      };
      lane.waiting.add(begin);
      this.#waiting += 1;
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #take(lane: Lane): Slot {
    this.#count(lane, 1);
    let isHeld = true;
    return {
      kind: 'slot',
      release: (tookMs) => {
        if (!isHeld) return;
        isHeld = false;
        this.#count(lane, -1);
        this.#learn(lane, tookMs);
        this.#forget(lane);
        this.#admit();
      },
    };
  }

  #learn(lane: Lane, tookMs: number): void {
    lane.lastMs = tookMs;
    const isSlow = tookMs > SLOW_MS;
    if (isSlow === lane.isSlow) return;
    lane.isSlow = isSlow;
    this.#slowRunning += isSlow ? lane.running : -lane.running;
  }

  /** Lets in whoever fits, one endpoint after the other. */
  #admit(): void {
    for (let admitted = true; admitted && this.#waiting > 0;) {
      admitted = false;
      // Those that had a turn go to the end, which must not be met again.
      const lanes = Array.from(this.#lanes.values());
      for (const lane of lanes) {
        const [begin] = lane.waiting;
        if (begin === undefined || !this.#fits(lane)) continue;
        this.#lanes.delete(lane.endpoint);
        this.#lanes.set(lane.endpoint, lane);
        begin();
        admitted = true;
      }
    }
  }

  #fits({ running, isSlow }: Lane): boolean {
    const { total, perEndpoint, slow, perSlowEndpoint } = this.bounds;
    if (this.#running >= total) return false;
    return isSlow ? running < perSlowEndpoint && this.#slowRunning < slow : running < perEndpoint;
  }

  /** Spreads those who are sent away over the time their endpoint needs for them. */
  #busy(lane: Lane): Busy {
    const { perEndpoint, perSlowEndpoint } = this.bounds;
    const nowMs = this.now();
    const eachMs = lane.lastMs / (lane.isSlow ? perSlowEndpoint : perEndpoint);
    const latestMs = nowMs + LONGEST_AGAIN_MS;
    lane.freeAtMs = Math.min(Math.max(nowMs, lane.freeAtMs) + eachMs, latestMs);
    this.#forget(lane);
    return { kind: 'busy', againMs: Math.max(SHORTEST_AGAIN_MS, lane.freeAtMs - nowMs) };
  }

  #lane(endpoint: string): Lane {
    let lane = this.#lanes.get(endpoint);
    if (lane === undefined) {
      lane = { endpoint, running: 0, isSlow: false, lastMs: 0, freeAtMs: 0, waiting: new Set() };
      this.#lanes.set(endpoint, lane);
    }
    return lane;
  }

  /** Slow endpoints are remembered, the others as long as something of theirs runs or waits. */
  #forget(lane: Lane): void {
    const isIdle = (one: Lane): boolean => one.running === 0 && one.waiting.size === 0;
    if (isIdle(lane) && !lane.isSlow) this.#lanes.delete(lane.endpoint);
    if (this.#lanes.size <= MOST_LANES) return;
    for (const one of this.#lanes.values()) {
      if (!isIdle(one)) continue;
      this.#lanes.delete(one.endpoint);
      return;
    }
  }

  #count(lane: Lane, by: 1 | -1): void {
    lane.running += by;
    this.#running += by;
    if (lane.isSlow) this.#slowRunning += by;
  }
}
