import {
  type Provider,
  type Recipient,
  ProviderUnavailable,
  rejected,
  type SendOutcome,
  type SendTarget,
} from '@carillon/push-providers';
import { CannotOpen, PushStoreUnavailable, type StoredDevice } from '@carillon/push-store';
import { defer, type Job, type Settlement } from '@carillon/queue';
import { pause } from '@carillon/runtime';
import type { PushParts } from '../parts.js';
import { type BatchVerdict, Breaker } from './breaker.js';
import { Credentials, type ResolvedCredential } from './credentials.js';
import { FairShare } from './fair-share.js';
import { moved } from './lifecycle.js';
import type { Outbox } from './outbox.js';
import type { DeliveryBatch, DeliveryJob } from './payloads.js';
import { feedbackItems, type Told } from './feedback-items.js';
import {
  GONE,
  judge,
  NOT_READY,
  RATE_LIMITED,
  type Result,
  result,
  resultOf,
  UNREADABLE,
  type Verdict,
} from './results.js';
import { AdaptiveWindow } from './window.js';

const LEASE_MS = 60_000;
const LATER_MS = 1000;
const TOLD_AGAIN_MS = 500;
const MOST_PLACES = 10_000;

/** Sends batches: claims what is to be sent, sends it, and tells what became of it. */
export class Dispatcher {
  readonly #credentials: Credentials;
  readonly #breakers = new Map<string, Breaker>();
  readonly #windows = new Map<string, AdaptiveWindow>();
  readonly #fair = new FairShare();

  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
  ) {
    this.#credentials = new Credentials(parts);
  }

  async dispatch(batch: DeliveryBatch, job: Job): Promise<Settlement | void> {
    const { appId, publishId, provider } = batch;
    const { store, now, metrics } = this.parts;
    const publish = await store.publish(appId, publishId);
    if (publish === null) return undefined;
    if (publish.state === 'cancelled') return this.#all(batch, result('cancelled'), job);
    if (batch.expiresAtMs !== null && batch.expiresAtMs <= now())
      return this.#all(batch, result('expired'), job);
    if (!this.#fair.enter(appId)) return defer(LATER_MS);
    try {
      const resolved = await this.#credentials.resolve(appId, provider);
      if (resolved === null) return await this.#all(batch, NOT_READY, job);
      const breaker = this.#breaker(appId, provider, resolved);
      const window = this.#window(appId, provider);
      if (!window.enter(now())) {
        metrics.counter('push_rate_limiter_throttled_total').for({ provider, tenant: resolved.tenant }).add();
        return defer(LATER_MS);
      }
      let throttled = false;
      try {
        const { allowed, untilMs } = breaker.enter(batch.jobs.length, now());
        if (allowed === 0) return await this.#hold(batch, untilMs);
        const verdict = await this.#send(batch, allowed, resolved, job);
        throttled = verdict.throttled;
        this.#judge(breaker, verdict, allowed, batch, resolved);
        return verdict.left ? defer(LATER_MS) : undefined;
      } finally {
        window.leave(throttled, now());
      }
    } finally {
      this.#fair.leave(appId);
    }
  }

  close(): Promise<void> {
    return this.#credentials.close();
  }

  #judge(
    breaker: Breaker,
    verdict: BatchVerdict,
    begun: number,
    { appId, provider }: DeliveryBatch,
    { tenant }: ResolvedCredential,
  ): void {
    const { metrics, log, now } = this.parts;
    if (breaker.leave(begun, verdict, now())) {
      metrics.counter('push_circuit_breaker_open_total').for({ provider, tenant }).add();
      log.warn('push provider fails, its circuit breaker is open', { app_id: appId, provider });
    }
    const state = { closed: 0, 'half-open': 1, open: 2 }[breaker.state(now())];
    metrics.gauge('push_circuit_breaker_state').for({ provider, tenant }).set(state);
  }

  /** Nothing is sent before that time; that uses up no attempt. */
  async #hold({ appId, publishId, provider }: DeliveryBatch, untilMs: number): Promise<Settlement> {
    const { store, metrics, now } = this.parts;
    metrics.counter('push_circuit_breaker_deferred_total').for({ provider, app: appId }).add();
    await store.changePublish(appId, publishId, [], (publish) => ({
      publish: { ...moved(publish, 'throttled', now()), retryAfterMs: untilMs },
    }));
    return defer(Math.max(LATER_MS, untilMs - now()));
  }

  async #send(
    batch: DeliveryBatch,
    allowed: number,
    resolved: ResolvedCredential,
    job: Job,
  ): Promise<BatchVerdict & { throttled: boolean; left: boolean }> {
    const { config, store, now } = this.parts;
    const { appId, publishId } = batch;
    const verdict: Verdict = { anyAccepted: false, anyFailure: false, quotaUntilMs: null, throttled: false };
    const wanted = batch.jobs.slice(0, allowed);
    let left = allowed < batch.jobs.length;
    const most = config.push.dispatch_max_outbound_requests;
    for (let from = 0; from < wanted.length; from += most) {
      const stopped = job.signal.aborted || (from > 0 && !(await job.renew()));
      if (stopped) return { ...verdict, left: true };
      const some = wanted.slice(from, from + most);
      // Before they are claimed: should the store be away, nothing has begun.
      const devices = await this.#devicesOf(appId, some);
      const owner = `${this.parts.owner}:${batch.batchId}`;
      const lease = { owner, nowMs: now(), untilMs: now() + LEASE_MS };
      const taken = await store.takeForSending(appId, publishId, some, lease);
      const jobs = some.filter(({ deliveryKey }) => taken.has(deliveryKey));
      left ||= await this.#isHeld(batch, some, taken);
      if (jobs.length === 0) continue;
      await this.#unthrottle(batch);
      const results = await this.#sendSome(batch, jobs, devices, resolved, job.signal);
      for (const [, outcome] of results) judge(verdict, outcome);
      await this.#tell(batch, results, job);
    }
    return { ...verdict, left };
  }

  /** Whether others have some of what was not taken: should they be dead, the batch comes again when their time is over. */
  async #isHeld(
    { appId, publishId }: DeliveryBatch,
    wanted: readonly DeliveryJob[],
    taken: ReadonlySet<string>,
  ): Promise<boolean> {
    const others = wanted.filter(({ deliveryKey }) => !taken.has(deliveryKey));
    return others.length > 0 && this.parts.store.isBeingSent(appId, publishId, others, this.parts.now());
  }

  async #sendSome(
    batch: DeliveryBatch,
    jobs: readonly DeliveryJob[],
    devices: ReadonlyMap<string, StoredDevice>,
    resolved: ResolvedCredential,
    signal: AbortSignal,
  ): Promise<readonly (readonly [DeliveryJob, Result & { deviceOnly?: boolean }])[]> {
    const { metrics } = this.parts;
    const { appId, provider } = batch;
    const inflight = metrics.gauge('push_dispatch_inflight').for({ provider, app: appId });
    const time = metrics.histogram('push_dispatch_duration_seconds').for({ provider, app: appId });
    return Promise.all(
      jobs.map(async (job) => {
        const device = job.deviceId === null ? null : (devices.get(job.deviceId) ?? null);
        const target = this.#targetOf(batch, job, device);
        if (target === null) return [job, GONE] as const;
        if (target === 'unreadable') return [job, UNREADABLE] as const;
        if (device !== null && !(await this.#withinRate(appId, device))) return [job, RATE_LIMITED] as const;
        const fromMs = performance.now();
        inflight.add(1);
        const outcome = await this.#sendOne(batch, job, target, resolved, signal);
        inflight.add(-1);
        time.observe((performance.now() - fromMs) / 1000);
        return [job, { ...resultOf(outcome), tokenHash: device?.tokenHash ?? null }] as const;
      }),
    );
  }

  async #sendOne(
    { rendered, expiresAtMs }: DeliveryBatch,
    { deliveryKey }: DeliveryJob,
    target: SendTarget,
    resolved: ResolvedCredential,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    try {
      const client = await this.#credentials.client(resolved);
      return await client.send({ target, payload: rendered, deliveryKey, expiresAtMs }, signal);
    } catch (error) {
      if (error instanceof ProviderUnavailable)
        return rejected('auth_failure', 'credential_auth', 'not available');
      this.parts.log.error('push client failed', { error });
      return rejected('provider_rejected', 'unknown', 'client failed');
    }
  }

  async #devicesOf(appId: string, jobs: readonly DeliveryJob[]): Promise<ReadonlyMap<string, StoredDevice>> {
    const ids = jobs.map(({ deviceId }) => deviceId).filter((id) => id !== null);
    const devices = ids.length === 0 ? [] : await this.parts.store.devicesOf(appId, ids);
    return new Map(devices.map((device) => [device.deviceId, device]));
  }

  /** Null: there is nobody any more. A device is reached by the token it has now. */
  #targetOf(
    { provider, appId, publishId }: DeliveryBatch,
    { audience, recipient, deliveryKey }: DeliveryJob,
    device: StoredDevice | null,
  ): SendTarget | 'unreadable' | null {
    if (audience !== null) return { kind: 'audience', audience };
    if (recipient !== null) return this.#opened(recipient, [appId, publishId, deliveryKey, 'recipient']);
    if (device === null || device.provider !== provider) return null;
    return this.#opened(device.recipient, ['push_devices', appId, device.deviceId]);
  }

  #opened(sealed: string, place: readonly string[]): SendTarget | 'unreadable' {
    try {
      const recipient = JSON.parse(this.parts.secrets.open(sealed, place)) as Recipient;
      return { kind: 'recipient', recipient };
    } catch (error) {
      // One that nobody can read any more must not keep the others of its batch.
      if (error instanceof CannotOpen || error instanceof SyntaxError) return 'unreadable';
      throw error;
    }
  }

  async #withinRate(appId: string, { deviceId, rateCapacity, rateRefill }: StoredDevice): Promise<boolean> {
    if (rateCapacity === null || rateRefill === null) return true;
    const windowMs = Math.max(1, Math.ceil((rateCapacity / rateRefill) * 1000));
    const rule = { identifier: 'push:device', limit: rateCapacity, windowMs };
    // It is begun: what counts is away, the notification is not held back for that.
    const verdict = await this.parts.rateLimit.check(rule, `${appId}:${deviceId}`).catch(() => null);
    return verdict?.allowed ?? true;
  }

  /** Claims the whole batch without sending it, and tells the same of all. */
  async #all(batch: DeliveryBatch, same: Result, job: Job): Promise<Settlement | void> {
    const { store, now, owner } = this.parts;
    const lease = { owner, nowMs: now(), untilMs: now() + LEASE_MS };
    const taken = await store.takeForSending(batch.appId, batch.publishId, batch.jobs, lease);
    const jobs = batch.jobs.filter(({ deliveryKey }) => taken.has(deliveryKey));
    const results = jobs.map((one) => [one, same] as const);
    await this.#tell(batch, results, job);
    return (await this.#isHeld(batch, batch.jobs, taken)) ? defer(LATER_MS) : undefined;
  }

  /** For as long as nobody else may send them: results that are lost are sent again. */
  async #tell(batch: DeliveryBatch, results: Told, { signal }: Job): Promise<void> {
    const items = feedbackItems(this.parts, batch, results);
    for (const untilMs = this.parts.now() + LEASE_MS; ;) {
      try {
        return await this.outbox.hand(items);
      } catch (error) {
        const isOver = signal.aborted || this.parts.now() >= untilMs;
        if (isOver || !(error instanceof PushStoreUnavailable)) throw error;
      }
      await pause(TOLD_AGAIN_MS, signal);
    }
  }

  async #unthrottle({ appId, publishId }: DeliveryBatch): Promise<void> {
    const { store, now } = this.parts;
    const publish = await store.publish(appId, publishId);
    if (publish?.state !== 'throttled') return;
    await store.changePublish(appId, publishId, [], (one) => ({
      publish: { ...moved(one, 'dispatching', now()), retryAfterMs: null },
    }));
  }

  /** Another version of a credential has a breaker of its own: it may be what heals. */
  #breaker(appId: string, provider: Provider, { credentialId, version }: ResolvedCredential): Breaker {
    return placed(this.#breakers, JSON.stringify([appId, provider, credentialId, version]), () => {
      return new Breaker(this.parts.config.push.circuit_breaker);
    });
  }

  #window(appId: string, provider: Provider): AdaptiveWindow {
    return placed(this.#windows, JSON.stringify([appId, provider]), () => new AdaptiveWindow());
  }
}

function placed<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  let value = map.get(name);
  if (value === undefined) {
    if (map.size >= MOST_PLACES) map.clear();
    value = make();
    map.set(name, value);
  }
  return value;
}
