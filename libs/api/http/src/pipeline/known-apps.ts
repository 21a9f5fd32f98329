import type { App } from '@carillon/app-registry';
import { keyHolder, type Caller } from '@carillon/api-operations';
import type { CounterSeries, Metrics } from '@carillon/runtime';
import { prepareSigningKey, type SigningKey } from '@carillon/auth';

/** Looks up apps by `auth_key`. */
export interface AppsByKey {
  /** Returns a cached app; undefined: not cached. */
  peekByKey(key: string): App | undefined;
  findByKey(key: string): Promise<App | null>;
  /** As the store holds it now; undefined: it holds nothing newer, or too many wait. */
  fresh(appId: string): Promise<App | null> | undefined;
}

/** Data derived once per app, used by each call. */
export interface KnownApp {
  readonly signingKey: SigningKey;
  readonly caller: Caller;
  readonly calls: CounterSeries;
  readonly bytesIn: CounterSeries;
  readonly bytesOut: CounterSeries;
}

/** Keeps it as long as the `App`, which a changed record replaces. */
export class KnownApps {
  readonly #known = new WeakMap<App, KnownApp>();

  constructor(private readonly metrics: Metrics) {}

  of(app: App): KnownApp {
    let known = this.#known.get(app);
    if (known === undefined) {
      known = this.#make(app);
      this.#known.set(app, known);
    }
    return known;
  }

  #make(app: App): KnownApp {
    const labels = { app_id: app.id };
    return {
      signingKey: prepareSigningKey(app.credentials),
      caller: keyHolder(app, 'http_api'),
      calls: this.metrics.counter('http_calls_received_total').for(labels),
      bytesIn: this.metrics.counter('http_received_bytes').for(labels),
      bytesOut: this.metrics.counter('http_transmitted_bytes').for(labels),
    };
  }
}
