import type { Provider } from '@carillon/push-providers';
import type { PushParts } from '../parts.js';
import type { Dispatcher } from '../pipeline/dispatcher.js';
import { ComingAndGoing } from './coming-and-going.js';

/** Gauges of dispatch: workers, waiting batches, provider connections, breakers. Read at a scrape. */
export class DispatchGauges {
  readonly #starvation = new ComingAndGoing<{ provider: string; app: string }>();
  readonly #connections = new ComingAndGoing<{ provider: string; tenant: string }>();
  readonly #streams = new ComingAndGoing<{ provider: string; tenant: string }>();
  readonly #breakers = new ComingAndGoing<{ provider: string; tenant: string }>();

  constructor(
    private readonly parts: PushParts,
    private readonly dispatcher: Dispatcher,
    private readonly providers: readonly Provider[],
  ) {}

  show(): void {
    const { metrics, now } = this.parts;
    const { breakers, credentials } = this.dispatcher;
    this.#pools();
    const usage = credentials.usage();
    this.#connections.show(
      metrics.gauge('push_provider_connections'),
      usage.map(({ labels, connections }) => [labels, connections] as const),
    );
    this.#streams.show(
      metrics.gauge('push_provider_streams_active'),
      usage.map(({ labels, streams }) => [labels, streams] as const),
    );
    this.#breakers.show(
      metrics.gauge('push_circuit_breaker_state'),
      [...breakers.states(now())].map(
        ({ provider, tenant, state }) => [{ provider, tenant }, state] as const,
      ),
    );
  }

  #pools(): void {
    const { metrics } = this.parts;
    const starved: (readonly [{ provider: string; app: string }, number])[] = [];
    for (const provider of this.providers) {
      const pool = this.dispatcher.pools.get(provider);
      if (pool === undefined) continue;
      metrics.gauge('push_worker_pool_size').for({ provider }).set(pool.size);
      metrics.gauge('push_worker_pool_busy').for({ provider }).set(pool.busy);
      for (const [app, ms] of pool.starvation()) starved.push([{ provider, app }, ms / 1000]);
    }
    this.#starvation.show(metrics.gauge('push_wfq_starvation_seconds'), starved);
  }
}
