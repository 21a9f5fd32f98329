import type { Audience, JsonObject, Provider } from '@carillon/push-providers';
import { sha256 } from '../hash.js';
import type { PushParts } from '../parts.js';
import type { Secrets } from '../secrets.js';
import type { NewItem } from './items.js';
import type { Outbox } from './outbox.js';
import type { DeliveryBatch, DeliveryJob } from './payloads.js';
import type { Plan } from './plan.js';

/** One address a publish reaches. */
export interface Reached {
  readonly provider: Provider;
  /** Hash of the token or its equivalent. */
  readonly tokenHash: string;
  readonly deviceId: string | null;
  /** JSON of an address that was given with the publish. */
  readonly recipient: string | null;
  readonly audience: Audience | null;
}

const MAX_JOBS = 500;
/** Bytes of an item besides its jobs. */
const HEAD_BYTES = 2048;

export const deliveryKeyOf = (
  appId: string,
  publishId: string,
  provider: string,
  tokenHash: string,
): string => sha256(appId, publishId, provider, tokenHash);

/** The first attempt to reach an address. */
export function jobOf(
  secrets: Secrets,
  { appId, publishId }: { readonly appId: string; readonly publishId: string },
  { provider, tokenHash, deviceId, recipient, audience }: Reached,
): DeliveryJob {
  const deliveryKey = deliveryKeyOf(appId, publishId, provider, tokenHash);
  const sealed =
    recipient === null ? null : secrets.seal(recipient, [appId, publishId, deliveryKey, 'recipient']);
  return { deliveryKey, attempt: 1, firstAttemptAtMs: null, deviceId, recipient: sealed, audience };
}

/** A batch as it waits for its dispatcher. */
export const batchItem = (
  batch: DeliveryBatch,
  more: Pick<NewItem, 'notBeforeMs' | 'suffix'> = {},
): NewItem => ({
  stage: batch.provider,
  key: `${batch.appId}:${batch.publishId}:${batch.provider}:${batch.batchId}`,
  partitionKey: batch.appId,
  payload: { kind: 'deliveryBatch', ...batch },
  ...more,
});

/** One delivery of a batch as a batch of its own, as if it had never been tried. */
export function deliveryAnew(
  { job, batchId, ...of }: Omit<DeliveryBatch, 'jobs'> & { readonly job: DeliveryJob },
  suffix: string,
): NewItem {
  const { appId, publishId, provider, rendered, expiresAtMs } = of;
  const jobs = [{ ...job, attempt: 1, firstAttemptAtMs: null }];
  const own = `${batchId}-${job.deliveryKey.slice(0, 16)}`;
  return batchItem({ appId, publishId, provider, batchId: own, rendered, expiresAtMs, jobs }, { suffix });
}

interface Gathered {
  jobs: DeliveryJob[];
  bytes: number;
  number: number;
}

/** Gathers deliveries into batches by provider; each is claimed before it is given out. Holds one batch a provider. */
export class Batcher {
  readonly #open = new Map<Provider, Gathered>();
  readonly #most: number;
  emitted = 0;

  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
    private readonly plan: Plan,
    private readonly prefix: string,
  ) {
    this.#most = outbox.maxItemBytes - HEAD_BYTES;
  }

  async add(reached: Reached): Promise<void> {
    const { provider } = reached;
    const rendered = this.plan.rendered.get(provider);
    if (rendered === undefined) return;
    const job = jobOf(this.parts.secrets, this.plan.log, reached);
    const gathered = this.#open.get(provider) ?? this.#new(provider, rendered, 0);
    const bytes = Buffer.byteLength(JSON.stringify(job)) + 1;
    const full = gathered.jobs.length >= MAX_JOBS || gathered.bytes + bytes > this.#most;
    if (full) await this.#emit(provider, gathered);
    const into = full ? this.#new(provider, rendered, gathered.number + 1) : gathered;
    into.jobs.push(job);
    into.bytes += bytes;
  }

  async flush(): Promise<void> {
    for (const [provider, gathered] of this.#open) await this.#emit(provider, gathered);
    this.#open.clear();
  }

  #new(provider: Provider, rendered: JsonObject, number: number): Gathered {
    const gathered: Gathered = { jobs: [], bytes: Buffer.byteLength(JSON.stringify(rendered)), number };
    this.#open.set(provider, gathered);
    return gathered;
  }

  async #emit(provider: Provider, { jobs, number }: Gathered): Promise<void> {
    const { store, metrics, now } = this.parts;
    const { log, rendered } = this.plan;
    const { appId, publishId, expiresAtMs } = log;
    const batchId = `${this.prefix}-${provider}-${number}`;
    const unique = [...new Map(jobs.map((job) => [job.deliveryKey, job])).values()];
    const updatedMs = now();
    const planned = await store.plan(
      appId,
      publishId,
      unique.map(({ deliveryKey, deviceId }) => ({
        appId,
        publishId,
        deliveryKey,
        provider,
        deviceId,
        batchId,
        state: 'planned',
        attempt: 1,
        leaseUntilMs: null,
        outcome: null,
        firstAttemptMs: null,
        updatedMs,
      })),
    );
    const given = unique.filter(({ deliveryKey }) => planned.has(deliveryKey));
    if (given.length === 0) return;
    const batch = {
      appId,
      publishId,
      provider,
      batchId,
      rendered: rendered.get(provider) ?? {},
      expiresAtMs,
      jobs: given,
    };
    await this.outbox.hand([batchItem(batch)]);
    this.emitted += given.length;
    metrics.counter('push_delivery_jobs_emitted_total').for({ provider, app: appId }).add(given.length);
  }
}
