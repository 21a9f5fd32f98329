import { createHash } from 'node:crypto';
import { keptOf, type OrdinaryChannel } from '@carillon/channels';
import type { OncePublisher } from '@carillon/operations';
import { type Publication, type Publisher, randomPart, type Receipt } from '@carillon/publishing';
import type { AiMessages } from './ai.js';
import type { Principal } from './authentication.js';
import { toNative } from './message/native.js';
import { idsOf, type NewMessage } from './message/read-message.js';
import { refusalOf } from './refusal.js';
import type { RuntimeCounters } from './statistics/counters.js';

/** Messages for one channel, judged. */
export interface NewMessages {
  readonly principal: Principal;
  readonly channel: OrdinaryChannel;
  readonly messages: readonly NewMessage[];
  /** The connection that publishes, or that a server speaks for; null: none. */
  readonly connectionId: string | null;
  /** What ids begin with that nobody gave; null: a server publishes, and one is made. */
  readonly base: string | null;
}

/** What came of it, in the order of the messages. */
export interface Published {
  readonly ids: readonly string[];
  /** Of each message where it lives on, else its id. */
  readonly serials: readonly string[];
}

const BASE_BYTES = 9;
const newBase = (): string => randomPart(BASE_BYTES).toString('base64url');

/** Publishes for both faces, every message once for its id. */
export class CompatPublisher {
  constructor(
    private readonly publisher: Publisher,
    private readonly once: Pick<OncePublisher, 'publish'>,
    private readonly ttlMs: number,
    private readonly parts: { readonly ai: AiMessages; readonly counters: RuntimeCounters },
  ) {}

  /**
   * Publishes them in order.
   *
   * @throws CompatError, or rejects with it.
   */
  async publish(request: NewMessages): Promise<Published> {
    const { base } = request;
    const messages = this.#judged(request);
    const ids = idsOf(messages, () => base ?? newBase());
    const serials: string[] = [];
    for (const [index, message] of messages.entries())
      serials.push(await this.#publish(request, message, ids[index] ?? ''));
    return { ids, serials };
  }

  #judged({ messages, principal, channel }: NewMessages): readonly NewMessage[] {
    try {
      return messages.map((message) => this.parts.ai.judged(message, principal, channel.name));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async #publish(request: NewMessages, message: NewMessage, messageId: string): Promise<string> {
    try {
      const { version, isDuplicate } = await this.#send(request, message, messageId);
      if (isDuplicate === true) this.parts.counters.add('duplicate_suppression');
      return version?.messageSerial ?? messageId;
    } catch (error) {
      throw refusalOf(error);
    }
  }

  #send(request: NewMessages, message: NewMessage, messageId: string): Promise<Receipt> | Receipt {
    const publication = publicationOf(request, message, messageId);
    const isGiven = message.id !== null;
    // What was made here for a server stands for nothing that was published before.
    if (!isGiven && request.base === null) return this.publisher.publish({ ...publication, key: null });
    const key = { key: `compat:${messageId}`, fingerprint: fingerprintOf(publication), ttlMs: this.ttlMs };
    const keyed = { ...publication, key };
    return isGiven ? this.once.publish(keyed, key) : this.publisher.publish(keyed);
  }
}

/** Whoever publishes the same under one id does so once. */
const fingerprintOf = ({ event, dataText, extrasText, userId }: Omit<Publication, 'key'>): string =>
  createHash('sha256')
    .update(JSON.stringify([event, dataText, extrasText, userId]))
    .digest('hex');

function publicationOf(
  { principal: { app }, channel, connectionId, base }: NewMessages,
  message: NewMessage,
  messageId: string,
): Omit<Publication, 'key'> {
  const isEphemeral = message.extras?.['ephemeral'] === true;
  return {
    appId: app.id,
    channel: channel.name,
    ...toNative(message),
    userId: message.clientId,
    ...(message.clientId === null ? {} : { creatorId: message.clientId }),
    exceptSocketId: connectionId,
    isFromClient: base !== null,
    messageId,
    isLastEvent: base === null && channel.traits.keepsLastEvent,
    ...keptOf(channel, isEphemeral),
    tagsText: null,
  };
}
