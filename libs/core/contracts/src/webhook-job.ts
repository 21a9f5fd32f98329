import { list, object, optional, perhaps } from './codec/composites.js';
import { decoder } from './codec/decode.js';
import { message, type BodyOf, type MessageOf } from './codec/message.js';
import { integer, text } from './codec/primitives.js';
import { appId, channel, timeMs } from './broker/fields.js';

/** Limit of events per job, whatever the configured batch size. */
export const MAX_WEBHOOK_EVENTS = 10_000;

/** Largest job of any queue; the job's own limit is stricter. */
const LONGEST_BODY = 16 * 1024 * 1024;
const MAX_ATTEMPTS = 1_000_000;

const jobId = text(1, 128);

/** Consecutive events of one app. Carries no secret: that is read when the webhook is sent. */
export const WEBHOOK_JOB = message('webhook', {
  /** Ids of the deliveries follow from it, so that expanding the job twice gives the same ones. */
  batch_id: jobId,
  app_id: appId,
  /** When the oldest of the events arose. */
  time_ms: timeMs,
  /** W3C trace parent of the first event. */
  trace: optional(text(1, 512)),
  events: list(
    object({
      name: text(1, 64),
      channel,
      /** The event as it goes into the request, as JSON text: numbers keep their digits. */
      body: text(2, LONGEST_BODY),
    }),
    1,
    MAX_WEBHOOK_EVENTS,
  ),
});

/** One request to one receiver, as it was when the events were matched; the same job over all its attempts. */
export const WEBHOOK_DELIVERY_JOB = message('webhook_delivery', {
  /** Equal for every attempt; shown to receivers. */
  delivery_id: jobId,
  app_id: appId,
  /** Receiver of the app; everything else about it is read when the request is sent. */
  entry: jobId,
  /** 1 is the first. */
  attempt: integer(1, MAX_ATTEMPTS),
  /** When it was made, as far as known; absent before it was tried. */
  first_attempt_ms: perhaps(timeMs),
  /** Not before; for queues that hand a job out early. */
  due_ms: timeMs,
  /** W3C trace parent. */
  trace: optional(text(1, 512)),
  /** The exact text to sign and send. */
  body: text(2, LONGEST_BODY),
});

/** Reads either kind of job from the queue of webhooks. */
export const decodeWebhookJob = decoder(WEBHOOK_JOB, WEBHOOK_DELIVERY_JOB);

export type WebhookJob = MessageOf<typeof WEBHOOK_JOB>;
export type WebhookJobBody = BodyOf<typeof WEBHOOK_JOB>;
export type WebhookDeliveryJob = MessageOf<typeof WEBHOOK_DELIVERY_JOB>;
export type WebhookDeliveryJobBody = BodyOf<typeof WEBHOOK_DELIVERY_JOB>;
