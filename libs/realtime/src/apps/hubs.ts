import type { App } from '@carillon/app-registry';
import type { Metrics } from '@carillon/runtime';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { AppTap } from '../tap.js';
import { AppMeters, showSocketMetrics } from '../metrics.js';
import { AppHub } from './app-hub.js';

/** The apps with connections in this process. */
export class Hubs {
  readonly #byId = new Map<string, AppHub>();
  #connections = 0;
  #accepted = 0;
  /** Returns the tap of an app; null if no app is observed. */
  tapOf: ((appId: string) => AppTap | null) | null = null;

  constructor(private readonly metrics: Metrics) {
    showSocketMetrics(metrics);
  }

  /** Number of open connections of all apps. */
  get connections(): number {
    return this.#connections;
  }

  /** Returns the hub of an app; null if the app has no state in this process. */
  find(appId: string): AppHub | null {
    return this.#byId.get(appId) ?? null;
  }

  /** Returns the hub of an app; creates it if missing. */
  of(app: App): AppHub {
    const found = this.#byId.get(app.id);
    if (found !== undefined) return found;
    const hub = new AppHub(app, new AppMeters(this.metrics, app.id));
    if (this.tapOf !== null) hub.tap = this.tapOf(app.id);
    this.#byId.set(app.id, hub);
    return hub;
  }

  /**
   * Registers a subscriber. The hub of its app may have been released and recreated since the subscriber was created.
   */
  admit(subscriber: Subscriber): void {
    const hub = this.of(subscriber.hub.app);
    subscriber.hub = hub;
    this.#accepted += 1;
    subscriber.acceptSequence = this.#accepted;
    subscriber.connectedMs = Math.trunc(performance.now());
    hub.add(subscriber);
    this.#connections += 1;
    hub.meters.connected.add();
    hub.meters.connections.add();
  }

  /** Unregisters a subscriber; returns false if it was never admitted or is unregistered already. */
  dismiss(subscriber: Subscriber): boolean {
    const { hub } = subscriber;
    if (hub.subscriber(subscriber.id) !== subscriber) return false;
    hub.remove(subscriber);
    this.#connections -= 1;
    hub.meters.connected.subtract();
    hub.meters.disconnections.add();
    return true;
  }

  /** Removes the hub of an app without state. A hub created meanwhile for the same app id is kept. */
  release(hub: AppHub): void {
    if (hub.isEmpty && this.#byId.get(hub.appId) === hub) this.#byId.delete(hub.appId);
  }

  [Symbol.iterator](): Iterator<AppHub> {
    return this.#byId.values();
  }
}
