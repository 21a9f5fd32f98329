import type { LocalChannel, Subscriber } from '@carillon/realtime';
import type { Viewer } from '../views.js';
import { DeltaCohort } from './delta-cohort.js';
import { DeltaEntry } from './delta-entry.js';

/** One channel of which a connection holds bases. */
interface State {
  readonly channel: LocalChannel;
  readonly usedAtMs: number;
}

/**
 * Limits how many channels of one connection hold bases. Beyond the limit, the least recently used one restarts
 * without bases.
 */
export class DeltaStates {
  constructor(private readonly maxChannels: number) {}

  /**
   * Called when the members of a cohort start to hold bases. The check runs in a microtask, after the current
   * delivery.
   */
  began(local: LocalChannel, cohort: DeltaCohort): void {
    queueMicrotask(() => {
      for (const { codec, subscribers } of local.audiences) {
        if (codec !== cohort) continue;
        for (const subscriber of subscribers) if (isViewer(subscriber)) this.bound(subscriber);
      }
    });
  }

  bound(connection: Viewer): void {
    // Every channel with deltas has a view, so the view count is an upper bound.
    if (connection.views.size <= this.maxChannels) return;
    const states = statesOf(connection).sort((one, other) => one.usedAtMs - other.usedAtMs);
    for (const { channel } of states.slice(0, Math.max(0, states.length - this.maxChannels)))
      channel.renew(connection);
  }
}

const isViewer = (subscriber: Subscriber): subscriber is Viewer => 'views' in subscriber;

function statesOf({ subscriptions }: Viewer): State[] {
  const states: State[] = [];
  for (const { channel, audience } of subscriptions) {
    const { codec } = audience;
    if (codec instanceof DeltaCohort && codec.length > 0) states.push({ channel, usedAtMs: codec.usedAtMs });
    // It was shown bases, and begins with them as soon as it receives.
    if (codec instanceof DeltaEntry && codec.shown !== null) states.push({ channel, usedAtMs: Infinity });
  }
  return states;
}
