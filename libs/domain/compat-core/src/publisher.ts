import { createHash, randomBytes } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { keptOf, type OrdinaryChannel } from '@carillon/channels';
import { cacheKeys } from '@carillon/contract';
import type { Publication, Publisher } from '@carillon/publishing';
import type { AiMessages } from './ai.js';
import type { Principal } from './authentication.js';
import { CompatError } from './compat-error.js';
import { toNative } from './message/native.js';
import { idsOf, type NewMessage } from './message/read-message.js';
import { refusalOf } from './refusal.js';
import type { RuntimeCounters } from './statistics/counters.js';
import { orUnavailable } from './tokens.js';

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
const newBase = (): string => randomBytes(BASE_BYTES).toString('base64url');

/** Publishes for both faces, every message once for its id. */
export class CompatPublisher {
  constructor(
    private readonly publisher: Publisher,
    private readonly cache: Pick<Cache, 'compareAndRemove' | 'get' | 'setIfAbsent'>,
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
    const publication = publicationOf(request, message, messageId, this.ttlMs);
    const isClaimed = message.id !== null && publication.history === null;
    if (isClaimed && !(await this.#claim(publication))) return messageId;
    try {
      const { version, isDuplicate } = await this.publisher.publish(publication);
      if (isDuplicate === true) this.parts.counters.add('duplicate_suppression');
      return version?.messageSerial ?? messageId;
    } catch (error) {
      if (isClaimed) await this.#release(publication);
      throw refusalOf(error);
    }
  }

  /** False: the same was published before. */
  async #claim({ appId, channel, messageId, key }: Publication): Promise<boolean> {
    const name = cacheKeys.publish(appId, channel, `compat:${messageId ?? ''}`);
    const fingerprint = key?.fingerprint ?? '';
    if (await orUnavailable(this.cache.setIfAbsent(name, fingerprint, this.ttlMs))) return true;
    const known = await orUnavailable(this.cache.get(name));
    if (known !== fingerprint) throw reused();
    this.parts.counters.add('duplicate_suppression');
    return false;
  }

  async #release({ appId, channel, messageId, key }: Publication): Promise<void> {
    const name = cacheKeys.publish(appId, channel, `compat:${messageId ?? ''}`);
    // What cannot be taken back runs out by itself; the publisher is told of the failure either way.
    await this.cache.compareAndRemove(name, key?.fingerprint ?? '').catch(() => false);
  }
}

const reused = (): CompatError => new CompatError(40_031, 'the id stands for another message');

function publicationOf(
  { principal: { app }, channel, connectionId, base }: NewMessages,
  message: NewMessage,
  messageId: string,
  ttlMs: number,
): Publication {
  const isEphemeral = message.extras?.['ephemeral'] === true;
  const parts = toNative(message);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([parts.event, parts.dataText, parts.extrasText, message.clientId]))
    .digest('hex');
  return {
    appId: app.id,
    channel: channel.name,
    ...parts,
    userId: message.clientId,
    ...(message.clientId === null ? {} : { creatorId: message.clientId }),
    exceptSocketId: connectionId,
    isFromClient: base !== null,
    messageId,
    isLastEvent: base === null && channel.traits.keepsLastEvent,
    ...keptOf(channel, isEphemeral),
    tagsText: null,
    key: { key: `compat:${messageId}`, fingerprint, ttlMs },
  };
}
