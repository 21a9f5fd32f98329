import type { KeyRules } from '../idempotency/keys.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { whenReady, type Ready } from '../pipeline/when-ready.js';
import { eventReply } from './outcome.js';
import type { EventReader } from './read-event.js';
import type { EventRun, EventRunner } from './run-event.js';

/** What marks an answer that was given before. */
export const REPLAYED = { 'x-idempotency-replayed': 'true' } as const;

/** `POST /apps/{appId}/events`. */
export class EventsEndpoint implements Endpoint {
  readonly rate = 'backend';

  constructor(
    private readonly reader: EventReader,
    private readonly runner: EventRunner,
    private readonly keys: KeyRules,
  ) {}

  answer(call: Call): Ready<Reply> {
    const event = this.reader.read(call.app, call.body);
    const headerKey = this.keys.headerKey(call.app, call.header('x-idempotency-key'));
    return whenReady(this.runner.run(call.app, event, event.idempotencyKey ?? headerKey), reply);
  }
}

function reply({ outcome, isReplay }: EventRun): Reply {
  const { text } = eventReply(outcome);
  return isReplay ? { text, headers: REPLAYED } : { text };
}
