import type { PreparedExtras, Triggers } from '@carillon/push-core';
import type { JsonObject } from '../json.js';
import type { NewMessage } from '../message/read-message.js';
import { orRefused } from '../refusal.js';
import type { Statistics } from '../statistics/statistics.js';
import { toNativePayload } from './payload.js';

/** What each of some messages brings to be pushed; null: nothing. */
export type Pushes = readonly (PreparedExtras | null)[];

/** Where a message went, and as what. */
export interface PublishedMessage {
  readonly appId: string;
  readonly channel: string;
  readonly id: string;
}

/** To who subscribes to the channel, whose message is counted as such. */
const PUSHED = { count: 1, bytes: 0 };

/** What is published becomes a push where the message brings one, or a rule says so. */
export class MessagePush {
  constructor(
    private readonly triggers: Triggers,
    private readonly statistics: Pick<Statistics, 'push'>,
  ) {}

  /** Rejects with CompatError for a payload, in the words of push, that could be published to nobody. */
  async check(appId: string, payload: JsonObject): Promise<void> {
    await orRefused(this.triggers.extras(appId, payload));
  }

  /** What they bring, if it could be published now. Rejects with CompatError when something could not. */
  async judged(appId: string, messages: readonly NewMessage[]): Promise<Pushes> {
    const pushes: (PreparedExtras | null)[] = [];
    for (const message of messages) pushes.push(await this.#prepared(appId, message));
    return pushes;
  }

  /**
   * What a message brought, after it was published. For the same id the push is the same, so that a repetition makes up
   * for one that was cut off. Rejects with CompatError when it is not taken on.
   */
  async publish(prepared: PreparedExtras | null, { appId, channel, id }: PublishedMessage): Promise<void> {
    if (prepared === null) return;
    await orRefused(prepared.publish(channel, id));
    this.statistics.push(appId, true, PUSHED);
  }

  /** What rules make of what a server has published. Never rejects. */
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
