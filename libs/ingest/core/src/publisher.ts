import type { App } from '@carillon/app-registry';
import type { IngestEvent, Lease } from '@carillon/ingest-source';
import { type Caller, keyHolder, type Operations } from '@carillon/api-operations';
import type { PushOperations } from '@carillon/push-core';
import { bounded } from '@carillon/runtime';
import { accepted, type Attempt, attemptOf, dead, unavailable } from './attempt.js';
import { mutationBody, publishBody, pushBody } from './request.js';

export interface PublisherParts {
  readonly operations: Pick<
    Operations,
    'appendMessage' | 'deleteMessage' | 'publishBatch' | 'publishEvent' | 'updateMessage'
  >;
  /** Null: this process does not publish pushes. */
  readonly push: Pick<PushOperations, 'perform'> | null;
  readonly apps: { findById(id: string): Promise<App | null> };
}

export interface PublisherRules {
  /** Apps that events may name. */
  readonly apps: ReadonlySet<string>;
  readonly idempotencyTtlMs: number;
}

/** An operation that takes longer is repeated; the keys of the event keep it from being published twice. */
const LONGEST_ATTEMPT_MS = 30_000;
const MESSAGE_ID = 'id:';

/** Attempt for an app that does not exist: it may have been created a moment ago. */
export const APP_NOT_FOUND = 'app_not_found';

/** Makes attempts to publish events, through the operations of the service. */
export class IngestPublisher {
  constructor(
    private readonly parts: PublisherParts,
    private readonly rules: PublisherRules,
  ) {}

  /** One attempt. Never rejects. */
  async attempt(event: IngestEvent, lease: Lease): Promise<Attempt> {
    return this.#bounded(event, (caller) => this.#perform(caller, event, lease));
  }

  /**
   * One attempt for publishes of one channel, at least two. Null: make one attempt for each; some of them may have been
   * published. Never rejects.
   */
  async attemptAll(events: readonly IngestEvent[], limit: number): Promise<readonly Attempt[] | null> {
    const [first] = events;
    if (first === undefined) return null;
    const app = await this.#app(first).catch(() => null);
    if (app === null || !('limits' in app)) return null;
    const most = Math.min(limit, app.limits.maxEventBatchSize);
    if (most < 2) return null;
    const batch = events.slice(0, most);
    const outcome = await bounded(LONGEST_ATTEMPT_MS, () => this.#batch(this.#caller(app), batch));
    return outcome.kind === 'done' ? outcome.value : null;
  }

  async #batch(caller: Caller, events: readonly IngestEvent[]): Promise<readonly Attempt[]> {
    const bodies = events.map(publishBody);
    const body = {
      text: `{"batch":[${bodies.map(({ text }) => text).join(',')}]}`,
      object: { batch: bodies.map(({ object }) => object) },
    };
    const { value } = await this.parts.operations.publishBatch.perform(caller, { body });
    return events.map((_, index) => accepted(serialOf(value.batch?.[index])));
  }

  async #bounded(event: IngestEvent, work: (caller: Caller) => Promise<Attempt>): Promise<Attempt> {
    const outcome = await bounded(LONGEST_ATTEMPT_MS, async () => {
      const app = await this.#app(event);
      return 'kind' in app ? app : work(this.#caller(app));
    });
    if (outcome.kind === 'done') return outcome.value;
    if (outcome.kind === 'timeout') return unavailable(`no answer after ${LONGEST_ATTEMPT_MS} ms`);
    return attemptOf(outcome.error);
  }

  #caller(app: App): Caller {
    return { ...keyHolder(app, 'ingest'), keyTtlMs: this.rules.idempotencyTtlMs };
  }

  async #app({ app: id }: IngestEvent): Promise<App | Attempt> {
    if (!this.rules.apps.has(id))
      return dead('app_not_allowed', 403, `the source may not publish for app "${id}"`);
    let app: App | null;
    try {
      app = await this.parts.apps.findById(id);
    } catch {
      return unavailable('app lookup unavailable');
    }
    if (app === null)
      return { ...unavailable(`app "${id}" does not exist`), code: APP_NOT_FOUND, status: 404 };
    return app.enabled ? app : dead('app_disabled', 403, `app "${id}" is disabled`);
  }

  async #perform(caller: Caller, event: IngestEvent, lease: Lease): Promise<Attempt> {
    if (event.op === 'publish') return this.#publish(caller, event);
    if (event.op === 'push') return this.#push(caller, event);
    return this.#mutate(caller, event, lease);
  }

  async #publish(caller: Caller, event: IngestEvent): Promise<Attempt> {
    const { value, mark } = await this.parts.operations.publishEvent.perform(caller, {
      body: publishBody(event),
    });
    const channels = (value as { readonly channels?: Readonly<Record<string, object>> }).channels;
    return accepted(serialOf(channels?.[event.channel ?? '']), mark === 'replayed');
  }

  async #mutate(caller: Caller, event: IngestEvent, { messages }: Lease): Promise<Attempt> {
    const { operations } = this.parts;
    const channel = event.channel ?? '';
    let serial: string | null = event.message ?? '';
    if (messages !== undefined && serial.startsWith(MESSAGE_ID)) {
      const id = serial.slice(MESSAGE_ID.length);
      serial = await messages.serialOf(event.app, channel, id);
      if (serial === null) return dead('not_found', 404, `no message with message_id "${id}" is known`);
    }
    const operation = {
      append: operations.appendMessage,
      update: operations.updateMessage,
      delete: operations.deleteMessage,
    }[event.op as 'append' | 'delete' | 'update'];
    const { value } = await operation.perform(caller, {
      channel,
      message_serial: serial,
      body: mutationBody(event),
    });
    return accepted(null, value.status === 'duplicate');
  }

  async #push({ app }: Caller, event: IngestEvent): Promise<Attempt> {
    const { push } = this.parts;
    if (push === null) return dead('feature_disabled', 422, 'this process does not publish pushes');
    const body = pushBody(event);
    await push.perform('publishPush', {
      app,
      caller: { kind: 'admin', rotates: false },
      segments: {},
      option: () => undefined,
      body: () => body,
      quotaOverride: false,
    });
    return accepted();
  }
}

function serialOf(outcome: object | undefined): string | null {
  const { message_serial: serial } = { ...outcome } as { readonly message_serial?: unknown };
  return typeof serial === 'string' ? serial : null;
}
