import { ServiceError } from '@carillon/errors';
import { deviceUrlRules, inBodies, type JsonObject, type Provider } from '@carillon/push-providers';
import type { StoredDeadLetter, StoredPublish } from '@carillon/push-store';
import { Admit } from './admission/admit.js';
import { correctUse } from './admission/quotas.js';
import { acceptedShape } from './admission/shapes.js';
import { type PublishRequest, readPublish, type RequestRules } from './admission/request.js';
import { invalid } from './fields.js';
import type { PushParts } from './parts.js';
import { Credentials } from './pipeline/credentials.js';
import type { DeadWork } from './pipeline/dead-letters.js';
import { withCounts } from './pipeline/lifecycle.js';
import { Devices } from './resources/devices.js';
import { ingestStatus } from './resources/delivery-status.js';
import { IdentityTokens } from './resources/identity-token.js';
import { Subscriptions } from './resources/subscriptions.js';
import { Triggers } from './triggers/triggers.js';
import type { PushWorker } from './worker.js';

const MAX_BATCH = 100;

export interface PublishOptions {
  readonly quotaOverride: boolean;
  /** From a header; a key in the body takes precedence. */
  readonly idempotencyKey: string | null;
}

/** Operations of push. */
export class PushService {
  readonly admit: Admit;
  readonly devices: Devices;
  readonly subscriptions: Subscriptions;
  readonly #credentials: Credentials;
  readonly #waiting: Waiting;

  constructor(
    readonly parts: PushParts,
    private readonly worker: PushWorker,
  ) {
    this.admit = new Admit(parts, worker);
    this.devices = new Devices(parts, new IdentityTokens(parts));
    this.#credentials = new Credentials(parts);
    this.subscriptions = new Subscriptions(parts, this.devices);
    this.#waiting = new Waiting(64 * Math.max(1, parts.config.push.accept_worker_count));
  }

  /** Public Web Push key of the app; null: not configured. */
  async webKey(appId: string): Promise<string | null> {
    const found = await this.#credentials.resolve(appId, 'webpush');
    return found?.credential.provider === 'webpush' ? found.credential.publicKey : null;
  }

  /** For publishes of channels, whose names are judged already. */
  triggers(): Triggers {
    const { config } = this.parts;
    return new Triggers(this.parts, this.admit, {
      deviceUrls: deviceUrlRules(config),
      reachesChannels: config.compat.enabled,
      maxKeyBytes: config.idempotency.max_key_length,
      checkChannel: (name) => name,
    });
  }

  async publish(
    appId: string,
    body: unknown,
    options: PublishOptions,
    rules: RequestRules,
  ): Promise<JsonObject> {
    const request = this.#read(body, options.idempotencyKey, rules);
    return this.#waiting.run(async () => {
      await this.admit.checkRate(appId);
      const prepared = await this.admit.prepare(appId, request);
      return acceptedShape(await this.admit.admit(prepared, options));
    });
  }

  /** All or nothing as far as the bodies go; then one after the other. */
  async publishBatch(
    appId: string,
    body: unknown,
    options: PublishOptions,
    rules: RequestRules,
  ): Promise<JsonObject> {
    if (!Array.isArray(body) || body.length === 0 || body.length > MAX_BATCH) {
      throw invalid(`the body must be an array of 1 to ${MAX_BATCH} publishes`);
    }
    return this.#waiting.run(async () => {
      const prepared = [];
      for (const [index, item] of (body as unknown[]).entries()) {
        const key = options.idempotencyKey === null ? null : `${options.idempotencyKey}:${index}`;
        prepared.push(
          await numbered(index, async () => this.admit.prepare(appId, this.#read(item, key, rules))),
        );
      }
      const items: JsonObject[] = [];
      let refusal: ServiceError | null = null;
      for (const one of prepared) {
        try {
          if (refusal !== null) throw refusal;
          await this.admit.checkRate(appId);
          items.push(acceptedShape(await this.admit.admit(one, options)));
        } catch (error) {
          if (!(error instanceof ServiceError) || items.length === 0) throw error;
          if (error.status === 429) refusal = error;
          items.push({ publishId: one.publishId, status: 'rejected', error: errorShape(error) });
        }
      }
      return { items };
    });
  }

  async status(appId: string, publishId: string): Promise<StoredPublish> {
    const publish = await this.parts.store.publish(appId, publishId);
    if (publish === null) throw new ServiceError('not_found', { text: 'the publish is not known' });
    return publish;
  }

  async cancel(appId: string, jobId: string): Promise<void> {
    const { store, now, log } = this.parts;
    const outcome = await store.cancelJob(appId, jobId, now());
    if (outcome === 'dispatched')
      throw new ServiceError('conflict', { text: 'the publish is dispatched already' });
    if (outcome === 'cancelled') await correctUse(this.parts, appId, jobId, 0);
    log.info('audit', { action: 'scheduledCancel', app_id: appId });
  }

  deliveryStatus(appId: string, body: unknown): Promise<JsonObject> {
    return ingestStatus(this.parts, this.worker.outbox, appId, body);
  }

  /** Enqueues the item of a dead letter again. */
  async replay(appId: string, deadLetterId: string): Promise<JsonObject> {
    const { store, secrets, now, log } = this.parts;
    const row = await store.deadLetter(appId, deadLetterId);
    if (row === null) throw new ServiceError('not_found', { text: 'the dead letter is not known' });
    if (row.replayedMs !== null) throw invalid('the dead letter was replayed already');
    if (row.item === null) throw invalid(`the dead letter cannot be replayed: ${row.reason}`);
    const work = JSON.parse(
      secrets.open(row.item, ['push_dead_letters', appId, deadLetterId]),
    ) as NonNullable<DeadWork['replay']>;
    const done = await store.replay(row, work.deliveryKey, now(), (publish) => {
      if (work.undo === null) return publish;
      const { state } = publish;
      const undone = withCounts({ ...publish, planningComplete: false }, undoing(work.undo), now());
      const isOver = state !== 'cancelled' && work.deliveryKey !== null;
      return { ...undone, planningComplete: publish.planningComplete, state: isOver ? 'dispatching' : state };
    });
    if (!done) throw invalid('the dead letter was replayed already');
    await this.worker.outbox.replay(work.queue, work.data, work.jobId);
    log.info('audit', { action: 'deadLetterReplay', app_id: appId });
    return { deadLetterId, replayed: true, messageId: work.jobId };
  }

  #read(body: unknown, idempotencyKey: string | null, rules: RequestRules): PublishRequest {
    const request = readPublish(body, rules, this.parts.now());
    return request.idempotencyKey === null ? { ...request, idempotencyKey } : request;
  }
}

const undoing = (counter: 'deadLettered' | 'failed') =>
  counter === 'failed' ? { failed: -1, dispatched: -1 } : { deadLettered: -1 };

const errorShape = ({ message, code, status, headers }: ServiceError): JsonObject => ({
  error: message,
  code,
  status,
  ...(headers['retry-after'] === undefined ? {} : { retryAfterSeconds: Number(headers['retry-after']) }),
});

/** Names the item that was refused. */
async function numbered<Value>(index: number, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    throw new ServiceError(error.code, { text: `item ${index}: ${error.message}` });
  }
}

export const deadLetterShape = (row: StoredDeadLetter): JsonObject => ({
  deadLetterId: row.deadLetterId,
  appId: row.appId,
  publishId: row.publishId,
  ...(row.provider === null ? {} : { provider: inBodies(row.provider as Provider) }),
  stage: row.stage,
  key: row.itemKey,
  reason: row.reason,
  occurredAtMs: row.occurredMs,
  replayable: row.item !== null && row.replayedMs === null,
});

const LONGEST_WAIT_MS = 1000;
const MAX_WAITING = 10_000;

/** Concurrency limit; further calls wait up to a second and are then refused. */
class Waiting {
  #running = 0;
  readonly #turns: (() => void)[] = [];

  constructor(private readonly most: number) {}

  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#running >= this.most) await this.#turn();
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#turns.shift()?.();
    }
  }

  #turn(): Promise<void> {
    const refused = new ServiceError('rate_limited', {
      text: 'too many publishes at once',
      retryAfterSeconds: 1,
    });
    if (this.#turns.length >= MAX_WAITING) throw refused;
    return new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#turns.splice(this.#turns.indexOf(go), 1);
        reject(refused);
      }, LONGEST_WAIT_MS);
      this.#turns.push(go);
    });
  }
}
