import type { PublishableChannel } from '@carillon/channels';
import type { JsonObject } from '../json/json-body.js';

/** What an answer is to tell about each channel. */
export interface Info {
  readonly subscriptionCount: boolean;
  readonly userCount: boolean;
}

/** One publish, judged completely: nothing about it can be refused any more but by what happens. */
export interface Event {
  readonly name: string;
  /** Not empty, each name once, in the order given. */
  readonly channels: readonly PublishableChannel[];
  /** JSON text of the string that subscribers get. */
  readonly dataText: string;
  /** The string holds the JSON text of a published value of another type. Absent: it was published as a string. */
  readonly isJsonText?: true;
  /** For sockets connected now only: nothing of it is kept. */
  readonly isEphemeral: boolean;
  /** False if the publisher asks for full messages; otherwise the channel decides. */
  readonly mayBeDelta: boolean;
  /** The connection that must not receive it, else null. */
  readonly socketId: string | null;
  /** Client id that a created message is attributed to; null if it has no owner. */
  readonly creatorId: string | null;
  readonly info: Info;
  /** Whether the answer tells about each channel at all. */
  readonly isReported: boolean;
  readonly messageId: string | null;
  /** Of this event alone; null also where keys are not looked at. */
  readonly idempotencyKey: string | null;
  /** `extras.idempotencyKey`, with the same rules. */
  readonly messageKey: string | null;
  /** What a protocol 2 subscriber gets beside the data, compact as written; null where absent. */
  readonly tagsText: string | null;
  readonly extrasText: string | null;
  /** What its channels' devices get besides, as `extras.push` says it; null: nothing. */
  readonly push: JsonObject | null;
}
