import { orRefused } from '@carillon/compat-core';
import type { PreparedExtras, Triggers } from '@carillon/push';
import type { NewMessage } from '@carillon/compat-core';
import { toNativePayload } from './push/publishes.js';

/** Where a message went, and as what. */
export interface PublishedMessage {
  readonly appId: string;
  readonly channel: string;
  readonly id: string;
  readonly message: NewMessage;
}

/** What servers publish becomes a push where the message brings one, or a rule says so. */
export class MessagePush {
  constructor(private readonly triggers: Triggers) {}

  /** What the message brings, if it could be published now; null: nothing. Rejects with CompatError when it could not. */
  async prepared(appId: string, { extras }: NewMessage): Promise<PreparedExtras | null> {
    const push = extras?.['push'];
    if (push === undefined || push === null) return null;
    const prepared = await orRefused(this.triggers.extras(appId, toNativePayload(push)));
    await orRefused(prepared.checkOpen());
    return prepared;
  }

  /** After it was published. For the same id the push is the same, so that a repetition makes up for one that was cut off. */
  async tell(
    extras: PreparedExtras | null,
    { appId, channel, id, message }: PublishedMessage,
  ): Promise<void> {
    if (extras !== null) await orRefused(extras.publish(channel, id));
    const { name, data } = message;
    await this.triggers.onPublished({ appId, channel, event: name ?? 'message', data: data ?? 'null', id });
  }
}
