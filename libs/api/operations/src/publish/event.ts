import type { PublishableChannel } from '@carillon/channels';
import type { JsonObject } from '../json/json-body.js';

/** Channel details requested for the answer. */
export interface Info {
  readonly subscriptionCount: boolean;
  readonly userCount: boolean;
}

/** A validated publish: it can only fail at run time. */
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
  /** False if the publisher requires full messages; otherwise the channel decides. */
  readonly mayBeDelta: boolean;
  /** The connection that must not receive it, else null. */
  readonly socketId: string | null;
  /** Client id that a created message is attributed to; null if it has no owner. */
  readonly creatorId: string | null;
  readonly info: Info;
  /** Whether the answer contains channel details. */
  readonly isReported: boolean;
  readonly messageId: string | null;
  /** Key of this event alone; null also if keys are ignored. */
  readonly idempotencyKey: string | null;
  /** `extras.idempotencyKey`, with the same rules. */
  readonly messageKey: string | null;
  /** Further members for protocol 2 subscribers, compact as written; null if absent. */
  readonly tagsText: string | null;
  readonly extrasText: string | null;
  /** Push payload for devices of its channels, from `extras.push`; null: none. */
  readonly push: JsonObject | null;
}
