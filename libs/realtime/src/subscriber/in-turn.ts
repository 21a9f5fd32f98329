/** What a request does: at once, or later. */
export type Work = () => Promise<void> | undefined;

/** A request that waits for another process, and those behind it. */
export interface Opening {
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly work: Work;
  readonly forgotten: () => void;
  readonly weight: number;
}

/** Everything of one subscriber that waits, by subject. */
export class Openings extends Map<string, Opening> {
  /** Sum of the weights of the requests that wait behind one, whatever about. */
  waiting = 0;
}

/** Whoever has requests; null: none waits. */
export interface Requester {
  openings: Openings | null;
  /** False: it has ended, and what waits is forgotten. */
  readonly isOpen: boolean;
}

/**
 * Limits of concurrent requests of one subscriber and of the weight of requests queued behind them. The first is well above the default
 * limit of subscriptions, so that a burst of subscribes is refused for that limit and not as a retryable overload.
 */
const MAX_OPENINGS = 4096;
const MAX_WAITING = 4096;

const NOTHING = (): void => undefined;

/** Told what went wrong while nobody was there to be told. */
type OnTrouble = (what: string, error: unknown) => void;

/**
 * Runs requests about one thing (a channel, the sign-in) of one subscriber in the order they came, others side by
 * side. Most finish at once and leave no trace. One that fails does not keep the next from its turn; what waits when
 * the subscriber ends is forgotten, and told so if it asks. False: too many wait already, and nothing was done. `weight`:
 * how much it holds while it waits, in requests; the positions of a resume count one each.
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
