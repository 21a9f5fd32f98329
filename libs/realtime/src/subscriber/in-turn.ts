/** Work of a request, synchronous or asynchronous. */
export type Work = () => Promise<void> | undefined;

/** A request that waits for another process, and the requests queued behind it. */
export interface Opening {
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly work: Work;
  readonly forgotten: () => void;
  readonly weight: number;
}

/** All waiting requests of one subscriber, by subject. */
export class Openings extends Map<string, Opening> {
  /** Sum of the weights of all waiting requests. */
  waiting = 0;
}

/** Owner of requests; null: none waits. */
export interface Requester {
  openings: Openings | null;
  /** False once it has ended; waiting requests are dropped. */
  readonly isOpen: boolean;
}

/**
 * Limits of concurrent requests of one subscriber and of the weight of requests queued behind them. The first is well
 * above the default limit of subscriptions, so that a burst of subscribes is refused for that limit and not as a
 * retryable overload.
 */
const MAX_OPENINGS = 4096;
const MAX_WAITING = 4096;

const NOTHING = (): void => undefined;

/** Receives errors that have no other recipient. */
type OnTrouble = (what: string, error: unknown) => void;

/**
 * Serializes the requests of one subscriber per subject (a channel, the sign-in); requests of different subjects run
 * concurrently. Most finish synchronously and allocate nothing. A failed request does not block the next one. Waiting
 * requests are dropped when the subscriber ends, and notified if they registered for it. Returns false if too many
 * wait, and does nothing. `weight` is the cost of the request while it waits, in requests; each position of a resume
 * counts as one.
 */
export function inTurn(
  subscriber: Requester,
  subject: string,
  work: Work,
  onTrouble: OnTrouble,
  forgotten: () => void = NOTHING,
  weight = 1,
): boolean {
  const { openings } = subscriber;
  const before = openings?.get(subject);
  if (openings !== null && before !== undefined) {
    if (openings.waiting + weight > MAX_WAITING) return false;
    openings.waiting += weight;
    before.waiting.push({ work, forgotten, weight });
    return true;
  }
  if ((openings?.size ?? 0) >= MAX_OPENINGS) return false;
  const pending = work();
  if (pending !== undefined) void follow(subscriber, subject, pending, onTrouble);
  return true;
}

async function follow(
  subscriber: Requester,
  subject: string,
  first: Promise<void>,
  onTrouble: OnTrouble,
): Promise<void> {
  const opening: Opening = { waiting: [] };
  const openings = (subscriber.openings ??= new Openings());
  openings.set(subject, opening);
  let work: Work | undefined = () => first;
  while (work !== undefined) {
    try {
      await work();
    } catch (error) {
      onTrouble('request', error);
    }
    const next = subscriber.isOpen ? opening.waiting.shift() : undefined;
    openings.waiting -= next?.weight ?? 0;
    work = next?.work;
  }
  for (const { forgotten, weight } of opening.waiting) {
    openings.waiting -= weight;
    forgotten();
  }
  openings.delete(subject);
  if (openings.size === 0) subscriber.openings = null;
}
