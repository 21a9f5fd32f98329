import type { KeyRules } from '../idempotency/keys.js';
import { headerText } from '../describe/parameter.js';
import type { Route, RouteError } from '../describe/route.js';
import { either, mapOf, object } from '../describe/shape.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { OK_SHAPE } from '../pipeline/call.js';
import { whenReady, type Ready } from '../pipeline/when-ready.js';
import { EVENT_SCHEMA } from './event-fields.js';
import { CHANNEL_OUTCOME, eventReply } from './outcome.js';
import type { EventReader } from './read-event.js';
import type { EventRun, EventRunner } from './run-event.js';

/** What marks an answer that was given before. */
export const REPLAYED = { 'x-idempotency-replayed': 'true' } as const;

export const REPLAYED_HEADER = { 'X-Idempotency-Replayed': '`true` when nothing was published again.' };

export const KEY_HEADER = headerText(
  'X-Idempotency-Key',
  'The request is carried out once for this key. 1 to `idempotency.max_key_length` ASCII characters.',
);

/** What a publish may be answered with besides what every route may. */
export const PUBLISH_ERRORS: readonly RouteError[] = [
  'missing_channel_info',
  'limit_exceeded',
  'ai_event_not_permitted',
  'ai_invalid_transport_header',
  { code: 'ai_header_too_large', status: 400 },
  'conflict',
  'backpressure',
];

export const PUBLISH_EVENT: Route = {
  method: 'POST',
  path: '/events',
  tag: 'publish',
  summary: 'Publish an event',
  description: 'To one channel or several. One channel that is refused means that nothing is published.',
  rate: 'backend',
  parameters: [KEY_HEADER],
  body: EVENT_SCHEMA,
  reply: either(
    OK_SHAPE,
    object({ channels: mapOf(CHANNEL_OUTCOME, 'With `info`, `message_id` or an AI event: by channel.') }),
  ),
  replyHeaders: REPLAYED_HEADER,
  errors: PUBLISH_ERRORS,
};

/** `POST /apps/{appId}/events`. */
export class EventsEndpoint implements Endpoint {
  constructor(
    private readonly reader: EventReader,
    private readonly runner: EventRunner,
    private readonly keys: KeyRules,
  ) {}

  answer(call: Call): Ready<Reply> {
    const event = this.reader.read(call.app, call.body);
    const headerKey = this.keys.headerKey(call.app, call.parameter(KEY_HEADER));
    return whenReady(this.runner.run(call.app, event, event.idempotencyKey ?? headerKey), reply);
  }
}

function reply({ outcome, isReplay }: EventRun): Reply {
  const { text } = eventReply(outcome);
  return isReplay ? { text, headers: REPLAYED } : { text };
}
