import {
  type Provider,
  ProviderUnavailable,
  type Recipient,
  rejected,
  type SendOutcome,
  type SendTarget,
} from '@carillon/push-providers';
import { CannotOpen, type StoredDevice } from '@carillon/push-store';
import type { Job } from '@carillon/queue';
import type { PushParts } from '../parts.js';
import type { Gates } from './breakers.js';
import { type Claimer, LEASE_MS } from './claimer.js';
import type { Credentials, ResolvedCredential } from './credentials.js';
import { Gathering } from './gathering.js';
import type { DeliveryBatch, DeliveryJob } from './payloads.js';
import type { ResultWriter } from './result-writer.js';
import {
  GONE,
  isThrottling,
  judge,
  RATE_LIMITED,
  type Result,
  resultOf,
  type Judged,
  UNREADABLE,
} from './results.js';

/** Context of sending a batch. */
interface How {
  readonly resolved: ResolvedCredential;
  readonly gates: Gates;
  readonly job: Job;
  /** Before the first of it is sent. */
  readonly onFirst: () => Promise<void>;
}

interface Sent {
  /** Some of it has to come again: it was not begun, or others are at it. */
  readonly left: boolean;
  readonly begun: boolean;
  /** The provider wants less. */
  readonly throttled: boolean;
}

/** A delivery and its destination; `target` is a result instead if there is none. */
interface Addressed {
  readonly job: DeliveryJob;
  readonly device: StoredDevice | null;
  readonly target: SendTarget | Result;
  readonly host: string;
}

const isTarget = (target: SendTarget | Result): target is SendTarget => 'kind' in target;

/**
 * Sends the deliveries of a batch, as many at a time as may be in flight. Only those are claimed: when the process dies,
 * the rest of the batch can be sent immediately, and not after the lease.
 */
export class Sending {
  constructor(
    private readonly parts: PushParts,
    private readonly claimer: Claimer,
    private readonly results: ResultWriter,
    private readonly credentials: Credentials,
  ) {}

  async send(batch: DeliveryBatch, how: How): Promise<Sent> {
    const { config, now } = this.parts;
    const { gates, job } = how;
    const most = config.push.dispatch_max_outbound_requests;
    // Before they are claimed: if the store is unavailable, nothing has begun.
    const all = await this.#addressed(batch, batch.jobs);
    let sent: Sent = { left: false, begun: false, throttled: false };
    for (let from = 0; from < all.length; from += most) {
      const isStopped = job.signal.aborted || (from > 0 && !(await job.renew()));
      if (isStopped) return { ...sent, left: true };
      const some = all.slice(from, from + most);
      const nowhere = some.filter(({ target }) => !isTarget(target));
      const somewhere = some.filter(({ target }) => isTarget(target));
      const admitted = [...nowhere, ...gates.admit(somewhere, now())];
      if (admitted.length < some.length) sent = { ...sent, left: true };
      if (admitted.length > 0) sent = await this.#claimAndSend(batch, admitted, how, sent);
    }
    return sent;
  }

  async #claimAndSend(
    batch: DeliveryBatch,
    some: readonly Addressed[],
    how: How,
    before: Sent,
  ): Promise<Sent> {
    const wanted = some.map(({ job }) => job);
    const owner = `${this.parts.owner}:${batch.batchId}`;
    const { taken, isHeld } = await this.claimer.claim(batch, wanted, owner);
    const own = some.filter(({ job }) => taken.has(job.deliveryKey));
    const left = before.left || isHeld;
    return own.length === 0 ? { ...before, left } : this.#some(batch, own, how, { ...before, left });
  }

  /** Results are reported as soon as they are known, not after the slowest send: unreported ones are sent again. */
  async #some(batch: DeliveryBatch, own: readonly Addressed[], how: How, before: Sent): Promise<Sent> {
    const { signal } = how.job;
    if (!before.begun) await how.onFirst();
    const telling = new Gathering<readonly [DeliveryJob, Judged]>(
      () => batch.batchId,
      (results) => this.results.write(batch, results, { signal, leaseMs: LEASE_MS }),
    );
    let throttled = before.throttled;
    const ends = await Promise.allSettled(
      own.map(async (one) => {
        const result = await this.#one(batch, one, how);
        judge(how.gates.verdict(one.host), result);
        throttled ||= isThrottling(result);
        await telling.add([one.job, result]);
      }),
    );
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return { ...before, begun: true, throttled };
  }

  async #one(batch: DeliveryBatch, { job, device, target }: Addressed, how: How): Promise<Judged> {
    const { metrics } = this.parts;
    const { appId, provider } = batch;
    if (!isTarget(target)) return target;
    // The notification counts once, however often it is tried.
    if (device !== null && job.attempt === 1 && !(await this.#withinRate(appId, device))) {
      metrics.counter('push_rate_dropped_total').for({ app: appId }).add();
      return RATE_LIMITED;
    }
    const fromMs = performance.now();
    const inflight = metrics.gauge('push_dispatch_inflight').for({ provider, app: appId });
    inflight.add(1);
    const outcome = await this.#call(batch, job, target, how);
    inflight.add(-1);
    metrics
      .histogram('push_dispatch_duration_seconds')
      .for({ provider, app: appId })
      .observe((performance.now() - fromMs) / 1000);
    return { ...resultOf(outcome), tokenHash: device?.tokenHash ?? null };
  }

  async #call(
    { rendered, expiresAtMs }: DeliveryBatch,
    { deliveryKey }: DeliveryJob,
    target: SendTarget,
    { resolved, job }: How,
  ): Promise<SendOutcome> {
    try {
      const client = await this.credentials.client(resolved);
      return await client.send({ target, payload: rendered, deliveryKey, expiresAtMs }, job.signal);
    } catch (error) {
      if (error instanceof ProviderUnavailable)
        return rejected('auth_failure', 'credential_auth', 'not available');
      this.parts.log.error('push client failed', { error });
      return rejected('provider_rejected', 'unknown', 'client failed');
    }
  }

  /** A device is reached by the token it has now. */
  async #addressed(batch: DeliveryBatch, jobs: readonly DeliveryJob[]): Promise<Addressed[]> {
    const ids = jobs.map(({ deviceId }) => deviceId).filter((id) => id !== null);
    const devices = ids.length === 0 ? [] : await this.parts.store.devicesOf(batch.appId, ids);
    const byId = new Map(devices.map((device) => [device.deviceId, device]));
    return jobs.map((job) => {
      const device = job.deviceId === null ? null : (byId.get(job.deviceId) ?? null);
      const target = this.#targetOf(batch, job, device);
      return { job, device, target, host: hostOf(batch.provider, target) };
    });
  }

  #targetOf(
    { provider, appId, publishId }: DeliveryBatch,
    { audience, recipient, deliveryKey }: DeliveryJob,
    device: StoredDevice | null,
  ): SendTarget | Result {
    if (audience !== null) return { kind: 'audience', audience };
    if (recipient !== null) return this.#opened(recipient, [appId, publishId, deliveryKey, 'recipient']);
    if (device === null || device.provider !== provider) return GONE;
    return this.#opened(device.recipient, ['push_devices', appId, device.deviceId]);
  }

  #opened(sealed: string, place: readonly string[]): SendTarget | Result {
    try {
      const recipient = JSON.parse(this.parts.secrets.open(sealed, place)) as Recipient;
      return { kind: 'recipient', recipient };
    } catch (error) {
      // An unreadable delivery must not block the others of its batch.
      if (error instanceof CannotOpen || error instanceof SyntaxError) return UNREADABLE;
      throw error;
    }
  }

  async #withinRate(appId: string, { deviceId, rateCapacity, rateRefill }: StoredDevice): Promise<boolean> {
    if (rateCapacity === null || rateRefill === null) return true;
    const windowMs = Math.max(1, Math.ceil((rateCapacity / rateRefill) * 1000));
    const rule = { identifier: 'push:device', limit: rateCapacity, windowMs };
    // Already claimed: an unavailable rate limiter does not hold the notification back.
    const verdict = await this.parts.rateLimit.check(rule, `${appId}:${deviceId}`).catch(() => null);
    return verdict?.allowed ?? true;
  }
}

/** Web Push services fail individually; each other provider is one service. */
function hostOf(provider: Provider, target: SendTarget | Result): string {
  if (provider !== 'webpush' || !isTarget(target) || target.kind !== 'recipient') return '';
  const { recipient } = target;
  const isWeb = recipient.transportType === 'web' && URL.canParse(recipient.endpoint);
  return isWeb ? new URL(recipient.endpoint).host : '';
}
