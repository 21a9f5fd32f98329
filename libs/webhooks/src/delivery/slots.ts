/** Limits of running and waiting deliveries in one process. */
export interface SlotBounds {
  /** Running in all. */
  readonly total: number;
  /** Running for one app: less than all, so that another app always finds room. */
  readonly perApp: number;
  /** Running to one endpoint: less than all, so that none can have them all. */
  readonly perEndpoint: number;
  /** Running to all endpoints together that were slow the last time. */
  readonly slow: number;
  /** Running to one of those. */
  readonly perSlowEndpoint: number;
  /** Limits of waiting deliveries: in total, per app and per endpoint. Beyond them, deliveries are deferred. */
  readonly waiting: number;
  readonly waitingPerApp: number;
  readonly waitingPerEndpoint: number;
}

export const SLOT_BOUNDS: SlotBounds = {
  total: 20,
  perApp: 15,
  perEndpoint: 5,
  slow: 10,
  perSlowEndpoint: 2,
  waiting: 100,
  waitingPerApp: 60,
  waitingPerEndpoint: 40,
};

/** A delivery that took longer makes its endpoint a slow one, until one is quicker. */
const SLOW_MS = 1000;
const SHORTEST_AGAIN_MS = 250;
const LONGEST_AGAIN_MS = 15_000;
const NO_SHARE: AppShare = { running: 0, waiting: 0 };
/** Endpoints remembered while nothing of theirs runs or waits. */
const MAX_LANES = 1000;

/** A right to run one delivery; give it back with how long it took. */
export interface Slot {
  readonly kind: 'slot';
  release(tookMs: number): void;
}

/** No slot: retry after this time. */
export interface Busy {
  readonly kind: 'busy';
  readonly againMs: number;
}

/** An endpoint of an app. */
export interface Destination {
  readonly appId: string;
  readonly endpoint: string;
}

/** Deliveries of one app. */
interface AppShare {
  running: number;
  waiting: number;
}

/** The deliveries of an app to one endpoint. */
interface Lane {
  readonly key: string;
  readonly appId: string;
  running: number;
  isSlow: boolean;
  lastMs: number;
  /** Expected time at which deferred deliveries have been served. */
  freeAtMs: number;
  readonly waiting: Set<() => void>;
}

/**
 * Shares the delivery slots of a process among apps and their endpoints, so that none delays another. An app and an
 * endpoint have a limit each; slow endpoints together leave room for the others; a free slot goes to the waiting app with
 * the fewest running deliveries; a delivery without a slot is deferred.
 */
export class Slots {
  readonly #lanes = new Map<string, Lane>();
  /** Apps with something that runs or waits. */
  readonly #apps = new Map<string, AppShare>();
  #running = 0;
  #slowRunning = 0;
  #waiting = 0;

  constructor(
    private readonly bounds: SlotBounds = SLOT_BOUNDS,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A slot at once or when it is its turn. An aborted wait ends as busy. */
  async enter(destination: Destination, signal: AbortSignal): Promise<Slot | Busy> {
    const lane = this.#lane(destination);
    if (this.#fits(lane) && lane.waiting.size === 0) return this.#take(lane);
    const { waiting, waitingPerApp, waitingPerEndpoint, perSlowEndpoint } = this.bounds;
    const most = lane.isSlow ? perSlowEndpoint : waitingPerEndpoint;
    const isFull = this.#waiting >= waiting || this.#share(lane.appId).waiting >= waitingPerApp;
    if (isFull || lane.waiting.size >= most) return this.#busy(lane);
    return this.#wait(lane, signal);
  }

  #wait(lane: Lane, signal: AbortSignal): Promise<Slot | Busy> {
    return new Promise((resolve) => {
      const leave = (): void => {
        lane.waiting.delete(begin);
        this.#countWaiting(lane, -1);
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
      this.#countWaiting(lane, 1);
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

  /** Admits waiting deliveries: from the app with the fewest running first, its endpoints in turn. */
  #admit(): void {
    while (this.#waiting > 0) {
      let next: Lane | null = null;
      for (const lane of this.#lanes.values()) {
        if (lane.waiting.size === 0 || !this.#fits(lane)) continue;
        if (next === null || this.#share(lane.appId).running < this.#share(next.appId).running) next = lane;
      }
      const [begin] = next?.waiting ?? [];
      if (next === null || begin === undefined) return;
      // The lane had its turn and goes to the end.
      this.#lanes.delete(next.key);
      this.#lanes.set(next.key, next);
      begin();
    }
  }

  #fits({ appId, running, isSlow }: Lane): boolean {
    const { total, perApp, perEndpoint, slow, perSlowEndpoint } = this.bounds;
    if (this.#running >= total || this.#share(appId).running >= perApp) return false;
    return isSlow ? running < perSlowEndpoint && this.#slowRunning < slow : running < perEndpoint;
  }

  /** Spreads deferred deliveries over the time that their endpoint needs for them. */
  #busy(lane: Lane): Busy {
    const { perEndpoint, perSlowEndpoint } = this.bounds;
    const nowMs = this.now();
    const eachMs = lane.lastMs / (lane.isSlow ? perSlowEndpoint : perEndpoint);
    const latestMs = nowMs + LONGEST_AGAIN_MS;
    lane.freeAtMs = Math.min(Math.max(nowMs, lane.freeAtMs) + eachMs, latestMs);
    this.#forget(lane);
    return { kind: 'busy', againMs: Math.max(SHORTEST_AGAIN_MS, lane.freeAtMs - nowMs) };
  }

  #lane({ appId, endpoint }: Destination): Lane {
    const key = `${appId} ${endpoint}`;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { key, appId, running: 0, isSlow: false, lastMs: 0, freeAtMs: 0, waiting: new Set() };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #share(appId: string): Readonly<AppShare> {
    return this.#apps.get(appId) ?? NO_SHARE;
  }

  #changeShare(appId: string, running: number, waiting: number): void {
    const before = this.#share(appId);
    const after = { running: before.running + running, waiting: before.waiting + waiting };
    if (after.running === 0 && after.waiting === 0) this.#apps.delete(appId);
    else this.#apps.set(appId, after);
  }

  #countWaiting({ appId }: Lane, by: 1 | -1): void {
    this.#waiting += by;
    this.#changeShare(appId, 0, by);
  }

  /** Slow endpoints are remembered, the others as long as something of theirs runs or waits. */
  #forget(lane: Lane): void {
    const isIdle = (one: Lane): boolean => one.running === 0 && one.waiting.size === 0;
    if (isIdle(lane) && !lane.isSlow) this.#lanes.delete(lane.key);
    if (this.#lanes.size <= MAX_LANES) return;
    for (const one of this.#lanes.values()) {
      if (!isIdle(one)) continue;
      this.#lanes.delete(one.key);
      return;
    }
  }

  #count(lane: Lane, by: 1 | -1): void {
    lane.running += by;
    this.#running += by;
    this.#changeShare(lane.appId, by, 0);
    if (lane.isSlow) this.#slowRunning += by;
  }
}
