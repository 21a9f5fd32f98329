import type { PreparedExtras, Triggers } from '@carillon/push-core';
import type { JsonObject } from '../json.js';
import type { NewMessage } from '../message/read-message.js';
import { orRefused } from '../refusal.js';
import type { Statistics } from '../statistics/statistics.js';
import { toNativePayload } from './payload.js';

/** The push of each message; null if it has none. */
export type Pushes = readonly (PreparedExtras | null)[];

/** The channel and id of a published message. */
export interface PublishedMessage {
  readonly appId: string;
  readonly channel: string;
  readonly id: string;
}

/** Pushes to channel subscribers, counted per message. */
const PUSHED = { count: 1, bytes: 0 };

/** Sends push notifications for published messages that carry a push payload or match a rule. */
export class MessagePush {
  constructor(
    private readonly triggers: Triggers,
    private readonly statistics: Pick<Statistics, 'push'>,
  ) {}

  /** Rejects with CompatError if a payload, in native form, is invalid for every recipient. */
  async check(appId: string, payload: JsonObject): Promise<void> {
    await orRefused(this.triggers.extras(appId, payload));
  }

  /** Validates the pushes of messages. Rejects with CompatError if one is invalid. */
  async judged(appId: string, messages: readonly NewMessage[]): Promise<Pushes> {
    const pushes: (PreparedExtras | null)[] = [];
    for (const message of messages) pushes.push(await this.#prepared(appId, message));
    return pushes;
  }

  /**
   * Sends the push of a published message. The push id derives from the message id, so that a retry completes an
   * interrupted publish. Rejects with CompatError if the push is not accepted.
   */
  async publish(prepared: PreparedExtras | null, { appId, channel, id }: PublishedMessage): Promise<void> {
    if (prepared === null) return;
    await orRefused(prepared.publish(channel, id));
    this.statistics.push(appId, true, PUSHED);
  }

  /** Applies push rules to a message published by a server. Never rejects. */
  async rule(published: PublishedMessage, { name, data }: NewMessage): Promise<void> {
    await this.triggers.onPublished({ ...published, event: name ?? 'message', data: data ?? 'null' });
  }

  async #prepared(appId: string, { extras }: NewMessage): Promise<PreparedExtras | null> {
    const push = extras?.['push'];
    if (push === undefined || push === null) return null;
    const prepared = await orRefused(this.triggers.extras(appId, toNativePayload(push)));
    await orRefused(prepared.checkOpen());
    return prepared;
  }
}
