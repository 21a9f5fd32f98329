import { cacheKeys } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';
import { rawElements, rawMember } from '@carillon/protocol';
import { SeriesFailure } from '@carillon/history-publish';
import type { Metrics } from '@carillon/runtime';
import type { Caller } from '../caller.js';
import { describe } from '../describe/description.js';
import { listField } from '../describe/field.js';
import { fieldsSchema } from '../describe/fields-schema.js';
import { either, listOf, object, type ValueOf } from '../describe/shape.js';
import type { KeyRules } from '../idempotency/keys.js';
import type { RequestRecords } from '../idempotency/request-records.js';
import { isJsonObject, type JsonBody } from '../json/json-body.js';
import type { Work } from '../operation.js';
import type { Event } from './event.js';
import { EVENT_SCHEMA } from './event-fields.js';
import { CHANNEL_OUTCOME, type EventOutcome, itemOutcome, UNREPORTED } from './outcome.js';
import { PUBLISH_ERRORS } from './publish.js';
import type { EventReader } from './read-event.js';
import type { EventRunner } from './run-event.js';

const BATCH = listField('batch', 'At most `max_event_batch_size` events of the app.', {
  items: EVENT_SCHEMA,
});

const ITEM = either(CHANNEL_OUTCOME, object({}));

export const PUBLISH_BATCH = describe({
  area: 'publish',
  summary: 'Publish several events',
  description:
    'One after another. An event that is refused means that nothing is published; errors name it as `batch[0]: …`.',
  rate: 'backend',
  cost: batchLength,
  body: fieldsSchema({ batch: BATCH }, [BATCH]),
  takesRequestKey: true,
  result: object(
    {},
    {
      batch: listOf(
        ITEM,
        'With `info`, `message_id` or an AI event: an object each, of its channel or the first one; empty where nothing was asked.',
      ),
    },
  ),
  mark: 'replayed',
  errors: PUBLISH_ERRORS,
});

type Result = ValueOf<(typeof PUBLISH_BATCH)['result']>;

export interface BatchParts {
  readonly reader: EventReader;
  readonly runner: EventRunner;
  readonly records: RequestRecords;
  readonly keys: KeyRules;
  readonly metrics: Metrics;
}

/** A body that is no batch counts as one request. */
function batchLength(body: JsonBody): number {
  try {
    return BATCH.of(body.object)?.length ?? 1;
  } catch {
    return 1;
  }
}

/** Everything is judged before anything is claimed or published. */
export const publishBatch =
  (parts: BatchParts): Work<typeof PUBLISH_BATCH> =>
  async (caller, { body, requestKey }) => {
    const { app } = caller;
    const { keys, records, metrics } = parts;
    const events = readBatch(parts.reader, caller, body);
    const key = keys.requestKey(app, requestKey);
    const ttlMs = keys.ttlOf(caller);
    if (events.length === 0) return { value: {} };
    await parts.runner.checkPush(caller, events);
    if (key === null || ttlMs === null) return { value: await runBatch(parts.runner, caller, events) };
    const { record, isReplay } = await records.once(cacheKeys.batchRequest(app.id, key), ttlMs, async () =>
      JSON.stringify(await runBatch(parts.runner, caller, events)),
    );
    const value = JSON.parse(record) as Result;
    if (!isReplay) return { value };
    metrics.counter('idempotency_publish_total').for({ app_id: app.id }).add();
    metrics.counter('idempotency_duplicates_total').for({ app_id: app.id }).add();
    return { value, mark: 'replayed' };
  };

function readBatch(reader: EventReader, caller: Caller, body: JsonBody): Event[] {
  const items = BATCH.of(body.object);
  if (items === undefined) throw new ServiceError('invalid_input', { text: 'batch is missing' });
  const limit = caller.app.limits.maxEventBatchSize;
  if (items.length > limit) {
    throw new ServiceError('limit_exceeded', {
      text: `${items.length} events given, at most ${limit} allowed`,
    });
  }
  const texts = rawElements(rawMember(body.text, BATCH.name) ?? '[]');
  return items.map((item, index) => {
    try {
      if (isJsonObject(item)) return reader.read(caller, { text: texts[index] ?? '', object: item });
      throw new ServiceError('invalid_input', { text: 'must be an object' });
    } catch (error) {
      throw ofItem(error, index);
    }
  });
}

/** Runs events strictly in order; the first failure ends the batch, and published events stay. */
async function runBatch(runner: EventRunner, caller: Caller, events: readonly Event[]): Promise<Result> {
  const items: object[] = [];
  for (const series of seriesOf(events, (event) => runner.mayBeInSeries(caller, event))) {
    const outcomes = await runTogether(runner, caller, series, items.length);
    series.forEach((event, index) => items.push(itemOutcome(outcomes[index] ?? UNREPORTED, event)));
  }
  return events.some((event) => event.isReported) ? { batch: items } : {};
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

/** Returns the results of a series of events that begins at this index of the batch. */
async function runTogether(
  runner: EventRunner,
  caller: Caller,
  series: readonly Event[],
  from: number,
): Promise<readonly EventOutcome[]> {
  const [first] = series;
  if (first === undefined) return [];
  try {
    if (series.length > 1) return await runner.runSeries(caller, series);
    const { outcome } = await runner.run(caller, first, first.idempotencyKey);
    return [outcome];
  } catch (error) {
    throw error instanceof SeriesFailure ? ofItem(error.cause, from + error.index) : ofItem(error, from);
  }
}

/** The same error, telling which item it is about. */
function ofItem(error: unknown, index: number): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, status, aiCode, message, cause } = error;
  return new ServiceError(code, {
    status,
    text: `batch[${index}]: ${message}`,
    cause,
    ...(aiCode === null ? {} : { aiCode }),
  });
}
