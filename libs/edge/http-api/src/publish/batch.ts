import type { App } from '@carillon/app-registry';
import { cacheKeys } from '@carillon/contract';
import { ServiceError } from '@carillon/errors';
import { rawElements, rawMember } from '@carillon/protocol';
import type { Metrics } from '@carillon/runtime';
import { listField } from '../describe/field.js';
import { fieldsSchema } from '../describe/fields-schema.js';
import type { Route } from '../describe/route.js';
import { either, listOf, object } from '../describe/shape.js';
import type { KeyRules } from '../idempotency/keys.js';
import type { RequestRecords } from '../idempotency/request-records.js';
import { isJsonObject } from '../json/json-body.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import type { Event } from './event.js';
import { EVENT_SCHEMA } from './event-fields.js';
import { KEY_HEADER, PUBLISH_ERRORS, REPLAYED, REPLAYED_HEADER } from './events.js';
import { CHANNEL_OUTCOME, itemOutcome, UNREPORTED } from './outcome.js';
import type { EventReader } from './read-event.js';
import type { EventRunner } from './run-event.js';

const BATCH = listField('batch', 'At most `max_event_batch_size` events of the app.', {
  items: EVENT_SCHEMA,
});

export const PUBLISH_BATCH: Route = {
  method: 'POST',
  path: '/batch_events',
  tag: 'publish',
  summary: 'Publish several events',
  description:
    'One after another. An event that is refused means that nothing is published; errors name it as `batch[0]: …`.',
  rate: 'backend',
  parameters: [KEY_HEADER],
  body: fieldsSchema({ batch: BATCH }, [BATCH]),
  reply: object(
    {},
    {
      batch: listOf(
        either(CHANNEL_OUTCOME, object({})),
        'With `info`, `message_id` or an AI event: an object each, of its channel or the first one; empty where nothing was asked.',
      ),
    },
  ),
  replyHeaders: REPLAYED_HEADER,
  errors: PUBLISH_ERRORS,
};

const NOTHING: Reply = { text: '{}' };

export interface BatchParts {
  readonly reader: EventReader;
  readonly runner: EventRunner;
  readonly records: RequestRecords;
  readonly keys: KeyRules;
  readonly metrics: Metrics;
}

/** `POST /apps/{appId}/batch_events`: everything is judged before anything is claimed or published. */
export class BatchEndpoint implements Endpoint {
  constructor(private readonly parts: BatchParts) {}

  /** Its length; a body that is no batch counts as one request. */
  cost(call: Call): number {
    try {
      return BATCH.of(call.body.object)?.length ?? 1;
    } catch {
      return 1;
    }
  }

  async answer(call: Call): Promise<Reply> {
    const { app } = call;
    const { keys } = this.parts;
    const events = this.#read(call);
    const key = keys.headerKey(app, call.parameter(KEY_HEADER));
    const ttlMs = keys.ttlMs(app);
    if (events.length === 0) return NOTHING;
    if (key === null || ttlMs === null) return this.#run(app, events);
    return this.#once(app, events, key, ttlMs);
  }

  #read({ app, body }: Call): Event[] {
    const items = BATCH.of(body.object);
    if (items === undefined) throw new ServiceError('invalid_input', { text: 'batch is missing' });
    const limit = app.limits.maxEventBatchSize;
    if (items.length > limit) {
      throw new ServiceError('limit_exceeded', {
        text: `${items.length} events given, at most ${limit} allowed`,
      });
    }
    const texts = rawElements(rawMember(body.text, BATCH.name) ?? '[]');
    return items.map((item, index) => this.#readItem(app, item, texts[index] ?? '', index));
  }

  #readItem(app: App, object: unknown, text: string, index: number): Event {
    try {
      if (isJsonObject(object)) return this.parts.reader.read(app, { text, object });
      throw new ServiceError('invalid_input', { text: 'must be an object' });
    } catch (error) {
      throw error instanceof ServiceError ? ofItem(error, index) : error;
    }
  }

  async #once(app: App, events: readonly Event[], key: string, ttlMs: number): Promise<Reply> {
    const { records, metrics } = this.parts;
    const name = cacheKeys.batchRequest(app.id, key);
    const { record: text, isReplay } = await records.once(
      name,
      ttlMs,
      async () => (await this.#run(app, events)).text,
    );
    if (!isReplay) return { text };
    metrics.counter('idempotency_publish_total').for({ app_id: app.id }).add();
    metrics.counter('idempotency_duplicates_total').for({ app_id: app.id }).add();
    return { text, headers: REPLAYED };
  }

  /** Strictly one after another; the first failure ends it, and what was published before stays. */
  async #run(app: App, events: readonly Event[]): Promise<Reply> {
    const { runner } = this.parts;
    const items: object[] = [];
    for (const series of seriesOf(events, (event) => runner.mayBeInSeries(app, event))) {
      const running = runner.runAll(app, series);
      const outcomes = running instanceof Promise ? await running : running;
      series.forEach((event, index) => items.push(itemOutcome(outcomes[index] ?? UNREPORTED, event)));
    }
    const isReported = events.some((event) => event.isReported);
    return isReported ? { text: JSON.stringify({ batch: items }) } : NOTHING;
  }
}

/** The events in their order: neighbours that may be together are, all others are alone. */
function seriesOf(events: readonly Event[], mayBeInSeries: (event: Event) => boolean): readonly Event[][] {
  const all: Event[][] = [];
  let open: Event[] | null = null;
  for (const event of events) {
    const fits = mayBeInSeries(event);
    if (fits && open !== null) open.push(event);
    else {
      const series = [event];
      all.push(series);
      open = fits ? series : null;
    }
  }
  return all;
}

/** The same error, telling which item it is about. */
function ofItem(error: ServiceError, index: number): ServiceError {
  const { code, status, aiCode, message, cause } = error;
  return new ServiceError(code, {
    status,
    text: `batch[${index}]: ${message}`,
    cause,
    ...(aiCode === null ? {} : { aiCode }),
  });
}
