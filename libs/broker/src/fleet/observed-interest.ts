import type { Traffic } from '../cluster/traffic.js';
import type { LocalBroker } from '../drivers/local.js';
import type { MessageObserver, Observation } from './port.js';

/**
 * Combines the interest of sockets with that of observers: a channel stays subscribed until neither needs it. Sockets
 * subscribe and unsubscribe once per channel; observers any number of times.
 */
export class ObservedInterest {
  /** Observed channels (and apps) that sockets want too. */
  readonly #alsoOfSockets = new Set<string>();

  constructor(
    private readonly own: Pick<LocalBroker, 'isObserved' | 'observe'>,
    private readonly traffic: Pick<
      Traffic,
      'subscribe' | 'subscribeAll' | 'unsubscribe' | 'unsubscribeAll' | 'wants'
    >,
  ) {}

  /** Null: every channel of the app. */
  subscribe(appId: string, channel: string | null): Promise<void> | undefined {
    if (this.own.isObserved(appId, channel)) this.#alsoOfSockets.add(keyOf(appId, channel));
    return this.#begin(appId, channel);
  }

  unsubscribe(appId: string, channel: string | null): void {
    if (!this.own.isObserved(appId, channel)) return this.#end(appId, channel);
    this.#alsoOfSockets.delete(keyOf(appId, channel));
  }

  observe(appId: string, channel: string | null, observer: MessageObserver): Observation {
    if (!this.own.isObserved(appId, channel) && this.traffic.wants(appId, channel))
      this.#alsoOfSockets.add(keyOf(appId, channel));
    const observation = this.own.observe(appId, channel, observer);
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      observation.end();
      if (this.own.isObserved(appId, channel)) return;
      if (!this.#alsoOfSockets.delete(keyOf(appId, channel))) this.#end(appId, channel);
    };
    return { ready: Promise.resolve(this.#begin(appId, channel)), end };
  }

  #begin(appId: string, channel: string | null): Promise<void> | undefined {
    return channel === null ? this.traffic.subscribeAll(appId) : this.traffic.subscribe(appId, channel);
  }

  #end(appId: string, channel: string | null): void {
    if (channel === null) this.traffic.unsubscribeAll(appId);
    else this.traffic.unsubscribe(appId, channel);
  }
}

/** App ids and channels hold no line break. */
const keyOf = (appId: string, channel: string | null): string => `${appId}\n${channel ?? '\n'}`;
