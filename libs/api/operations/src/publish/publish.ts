import { describe, type OperationError } from '../describe/description.js';
import { either, mapOf, object, OK, OK_SHAPE } from '../describe/shape.js';
import type { KeyRules } from '../idempotency/keys.js';
import type { Done, Work } from '../operation.js';
import { EVENT_SCHEMA } from './event-fields.js';
import { CHANNEL_OUTCOME, eventResult, UNREPORTED } from './outcome.js';
import type { EventReader } from './read-event.js';
import type { EventRun, EventRunner } from './run-event.js';

/** Errors of a publish besides the common ones. */
export const PUBLISH_ERRORS: readonly OperationError[] = [
  'missing_channel_info',
  'limit_exceeded',
  'ai_event_not_permitted',
  'ai_invalid_transport_header',
  { code: 'ai_header_too_large', status: 400 },
  'conflict',
  'backpressure',
];

export const PUBLISH_EVENT = describe({
  area: 'publish',
  summary: 'Publish an event',
  description: 'To one channel or several. One channel that is refused means that nothing is published.',
  rate: 'backend',
  body: EVENT_SCHEMA,
  takesRequestKey: true,
  result: either(
    OK_SHAPE,
    object({ channels: mapOf(CHANNEL_OUTCOME, 'With `info`, `message_id` or an AI event: by channel.') }),
  ),
  mark: 'replayed',
  errors: PUBLISH_ERRORS,
});

export const publishEvent =
  (reader: EventReader, runner: EventRunner, keys: KeyRules): Work<typeof PUBLISH_EVENT> =>
  (caller, { body, requestKey }) => {
    const event = reader.read(caller, body);
    const ofRequest = keys.requestKey(caller.app, requestKey);
    const run = runner.run(caller, event, event.idempotencyKey ?? ofRequest);
    return run instanceof Promise ? run.then(resultOf) : resultOf(run);
  };

type Result = Done<ReturnType<typeof eventResult>>;

function resultOf({ outcome, isReplay }: EventRun): Result {
  if (outcome === UNREPORTED) return OK;
  const value = eventResult(outcome);
  return isReplay ? { value, mark: 'replayed' } : { value };
}
