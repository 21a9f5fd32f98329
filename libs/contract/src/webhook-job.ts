import { list, map } from './codec/composites.js';
import { decoder } from './codec/decode.js';
import { message, type BodyOf, type MessageOf } from './codec/message.js';
import { json, text } from './codec/primitives.js';
import { appId, timeMs } from './fabric/fields.js';

/** Most members of one event; the largest known has seven. */
const EVENT_MEMBERS = 64;

/** Consecutive events of one app. Carries no secret: that is read when the webhook is sent. */
export const WEBHOOK_JOB = message('webhook', {
  app_id: appId,
  /** When the oldest of the events arose. */
  time_ms: timeMs,
  /** As they go into the body, `name` among their members. */
  events: list(map(text(1, 64), json, EVENT_MEMBERS), 1, 10_000),
});

/** Reads a webhook job from the queue. */
export const decodeWebhookJob = decoder(WEBHOOK_JOB);

export type WebhookJob = MessageOf<typeof WEBHOOK_JOB>;
export type WebhookJobBody = BodyOf<typeof WEBHOOK_JOB>;
