import { ACTIVE_STATES, type Counters, type PublishState, type StoredPublish } from '@carillon/push-store';

const ACTIVE: ReadonlySet<PublishState> = new Set(ACTIVE_STATES);

export const isOver = ({ state }: Pick<StoredPublish, 'state'>): boolean => !ACTIVE.has(state);

export const NO_COUNTS: Counters = {
  planned: 0,
  dispatched: 0,
  succeeded: 0,
  failed: 0,
  expired: 0,
  retryScheduled: 0,
  retryAttempted: 0,
  deadLettered: 0,
};

/** The state that the counters come to once all deliveries are known; null: some are still under way. */
export function stateOf({
  planned,
  succeeded,
  failed,
  expired,
  deadLettered,
}: Counters): PublishState | null {
  if (succeeded + failed + expired + deadLettered < planned) return null;
  if (failed === 0 && expired === 0 && deadLettered === 0) return 'succeeded';
  if (succeeded > 0) return 'partiallySucceeded';
  if (expired > 0) return 'expired';
  return deadLettered > 0 ? 'dead_lettered' : 'failed';
}

/** Returns the publish with changed counters and the resulting state; cancelled and refused ones keep theirs. */
export function withCounts(publish: StoredPublish, added: Partial<Counters>, nowMs: number): StoredPublish {
  const counters = Object.fromEntries(
    Object.entries(publish.counters).map(([name, value]) => [
      name,
      Math.max(0, value + (added[name as keyof Counters] ?? 0)),
    ]),
  ) as unknown as Counters;
  return settled({ ...publish, counters, updatedMs: nowMs });
}

const FINAL: ReadonlySet<PublishState> = new Set(['cancelled', 'quota_exceeded']);

/** A publish that is over may still become another way of being over, never active again. */
export function settled(publish: StoredPublish): StoredPublish {
  if (!publish.planningComplete || FINAL.has(publish.state)) return publish;
  const state = stateOf(publish.counters);
  return state === null ? publish : { ...publish, state, retryAfterMs: null };
}

const MAY_BECOME: Readonly<Record<string, readonly PublishState[]>> = {
  queued: ['planning', 'dispatching', 'cancelled', 'failed', 'expired'],
  planning: ['dispatching', 'failed', 'throttled'],
  dispatching: ['throttled'],
  throttled: ['dispatching'],
};

/** The publish in another active state; as it was when that step does not exist. */
export function moved(publish: StoredPublish, state: PublishState, nowMs: number): StoredPublish {
  const allowed = MAY_BECOME[publish.state]?.includes(state) === true;
  return allowed ? { ...publish, state, updatedMs: nowMs } : publish;
}

const RANKS: Readonly<Partial<Record<PublishState, number>>> = {
  queued: 0,
  planning: 1,
  dispatching: 2,
  throttled: 2,
};
const OVER = 3;

/**
 * Whether a transition is invalid: forward along an undefined edge. Repeats of earlier states, or transitions after
 * the end, come from repeated jobs and are ignored.
 */
export const isForbidden = (from: PublishState, to: PublishState): boolean =>
  (RANKS[to] ?? OVER) > (RANKS[from] ?? OVER) && MAY_BECOME[from]?.includes(to) !== true;
