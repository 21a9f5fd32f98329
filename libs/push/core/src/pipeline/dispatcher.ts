import { PROVIDERS, type Provider } from '@carillon/push-providers';
import type { StoredPublish } from '@carillon/push-store';
import { defer, type Job, type Settlement } from '@carillon/queue';
import type { PushParts } from '../parts.js';
import { workersOf } from '../stages.js';
import { AppWeights } from './app-weights.js';
import { Breakers, Gates } from './breakers.js';
import { Claimer, LEASE_MS } from './claimer.js';
import { Credentials, type ResolvedCredential } from './credentials.js';
import { DispatchPool } from './dispatch-pool.js';
import type { Outbox } from './outbox.js';
import type { DeliveryBatch } from './payloads.js';
import { putBack } from './put-back.js';
import { ResultWriter } from './result-writer.js';
import { NOT_READY, type Result, result } from './results.js';
import { Sending } from './sending.js';
import { deliveryStage } from './stages.js';
import { move } from '../watch/invariants.js';
import { tellMeta } from '../watch/meta.js';
import { AdaptiveWindow } from './window.js';

const LATER_MS = 1000;
const MAX_PLACES = 10_000;

/** Sends batches, fairly between apps: resolves destinations and credentials, and holds back what must wait. */
export class Dispatcher {
  readonly credentials: Credentials;
  readonly breakers: Breakers;
  readonly pools: ReadonlyMap<Provider, DispatchPool>;
  readonly #weights: AppWeights;
  readonly #claimer: Claimer;
  readonly #results: ResultWriter;
  readonly #sending: Sending;
  readonly #windows = new Map<string, AdaptiveWindow>();

  constructor(
    private readonly parts: PushParts,
    outbox: Outbox,
  ) {
    const { config, metrics, now } = parts;
    this.credentials = new Credentials(parts);
    this.breakers = new Breakers(config.push.circuit_breaker);
    this.#weights = new AppWeights(parts);
    this.#claimer = new Claimer(parts);
    this.#results = new ResultWriter(parts, outbox);
    this.#sending = new Sending(parts, this.#claimer, this.#results, this.credentials);
    const workers = Math.max(1, workersOf(config, 'dispatch', ['dispatch']));
    const begun = metrics.counter('push_wfq_dispatched_total');
    this.pools = new Map(
      PROVIDERS.map((provider) => [
        provider,
        new DispatchPool(workers, now, (app) => begun.for({ provider, app }).add()),
      ]),
    );
  }

  async dispatch(batch: DeliveryBatch, job: Job): Promise<Settlement | void> {
    const { appId, provider } = batch;
    const { metrics } = this.parts;
    metrics.known({ provider, app: appId });
    metrics.gauge('push_wfq_starvation_seconds').for({ provider, app: appId });
    const pool = this.pools.get(provider);
    const turn = await pool?.turn(appId, await this.#weights.of(appId), job.signal);
    if (turn === 'back') return this.#later(batch, 'fair_share');
    // The job belongs to another worker: settling it has no effect.
    if (turn !== 'go') return undefined;
    try {
      return await this.#inTurn(batch, job);
    } finally {
      pool?.leave(appId);
    }
  }

  close(): Promise<void> {
    return this.credentials.close();
  }

  async #inTurn(batch: DeliveryBatch, job: Job): Promise<Settlement | void> {
    const { appId, publishId, provider } = batch;
    const { store, now, metrics } = this.parts;
    const publish = await store.publish(appId, publishId);
    if (publish === null) return undefined;
    if (publish.state === 'cancelled') return this.#all(batch, result('cancelled'), job);
    if (batch.expiresAtMs !== null && batch.expiresAtMs <= now())
      return this.#all(batch, result('expired'), job);
    const resolved = await this.credentials.resolve(appId, provider);
    if (resolved === null) return this.#all(batch, NOT_READY, job);
    metrics.known({ provider, tenant: resolved.tenant });
    const window = this.#window(appId, provider);
    if (!window.enter(now())) {
      metrics.counter('push_rate_limiter_throttled_total').for({ provider, tenant: resolved.tenant }).add();
      metrics.counter('push_rate_queued_total').for({ app: appId }).add();
      return this.#later(batch, 'window');
    }
    let throttled = false;
    try {
      const sent = await this.#send(batch, resolved, publish, job);
      throttled = sent.throttled;
      return sent.settlement;
    } finally {
      window.leave(throttled, now());
    }
  }

  async #send(
    batch: DeliveryBatch,
    resolved: ResolvedCredential,
    publish: StoredPublish,
    job: Job,
  ): Promise<{ readonly throttled: boolean; readonly settlement: Settlement | undefined }> {
    const { appId, provider } = batch;
    const { metrics, log, now } = this.parts;
    const gates = new Gates(this.breakers, { appId, provider, resolved });
    try {
      const onFirst = (): Promise<void> => this.#unthrottle(publish);
      const { left, begun, throttled } = await this.#sending.send(batch, { resolved, gates, job, onFirst });
      const heldMs = gates.heldUntilMs;
      if (heldMs === null) return { throttled, settlement: left ? this.#later(batch, 'held') : undefined };
      const settlement = begun ? this.#later(batch, 'breaker', heldMs - now()) : this.#hold(batch, heldMs);
      return { throttled, settlement: await settlement };
    } finally {
      const opened = gates.leave(now());
      const { tenant } = resolved;
      metrics.counter('push_circuit_breaker_open_total').for({ provider, tenant }).add(opened);
      if (opened > 0) {
        tellMeta(this.parts, 'circuit-breaker-event', { appId, provider, detail: { state: 'open' } });
        log.warn('push provider fails, its circuit breaker is open', { app_id: appId, provider });
      }
    }
  }

  /** Nothing is sent before that time; that uses up no attempt. */
  async #hold(batch: DeliveryBatch, untilMs: number): Promise<Settlement> {
    const { appId, publishId, provider } = batch;
    const { store, metrics, now } = this.parts;
    metrics.counter('push_circuit_breaker_deferred_total').for({ provider, app: appId }).add();
    await store.changePublish(appId, publishId, [], (publish) => {
      const held = move(this.parts, publish, 'throttled');
      return held.state === 'throttled' ? { publish: { ...held, retryAfterMs: untilMs } } : null;
    });
    return this.#later(batch, 'breaker', untilMs - now());
  }

  async #unthrottle({ appId, publishId, state }: StoredPublish): Promise<void> {
    if (state !== 'throttled') return;
    await this.parts.store.changePublish(appId, publishId, [], (one) => ({
      publish: { ...move(this.parts, one, 'dispatching'), retryAfterMs: null },
    }));
  }

  /** Claims the whole batch without sending it, with the same result for all. */
  async #all(batch: DeliveryBatch, same: Result, { signal }: Job): Promise<Settlement | void> {
    const { taken, isHeld } = await this.#claimer.claim(batch, batch.jobs, this.parts.owner);
    const jobs = batch.jobs.filter(({ deliveryKey }) => taken.has(deliveryKey));
    const results = jobs.map((one) => [one, same] as const);
    await this.#results.write(batch, results, { signal, leaseMs: LEASE_MS });
    return isHeld ? this.#later(batch, 'held') : undefined;
  }

  #later({ provider }: DeliveryBatch, reason: string, ms = LATER_MS): Settlement {
    return putBack(this.parts, deliveryStage(provider), reason, defer(Math.max(LATER_MS, ms)));
  }

  #window(appId: string, provider: Provider): AdaptiveWindow {
    const name = JSON.stringify([appId, provider]);
    const known = this.#windows.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= MAX_PLACES && oldest !== undefined) this.#windows.delete(oldest);
    const window = new AdaptiveWindow();
    this.#windows.set(name, window);
    return window;
  }
}
