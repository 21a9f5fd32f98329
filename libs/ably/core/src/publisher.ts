import { createHash, randomUUID } from 'node:crypto';
import { keptOf, type OrdinaryChannel } from '@carillon/channels';
import type { OncePublisher, PublishNews } from '@carillon/api-operations';
import {
  type BatchPublisher,
  type Publication,
  type Receipt,
  SeriesFailure,
} from '@carillon/history-publish';
import type { AiMessages } from './ai.js';
import type { Principal } from './authentication.js';
import { connectionById, type NativeParts, toNative } from './message/native.js';
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
  /** The prefix of generated message ids; null: a server publishes, and a prefix is generated. */
  readonly base: string | null;
}

/** The results, in the order of the messages. */
export interface Published {
  readonly ids: readonly string[];
  /** The serial of each mutable message, otherwise its id. */
  readonly serials: readonly string[];
  /** Whether it was published now, and not under the same id before. */
  readonly isNew: readonly boolean[];
}

/** Returns 12 characters from the random bits of a UUID; UUIDs are generated in batches. */
function newBase(): string {
  const uuid = randomUUID();
  const hex = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(-6);
  return Buffer.from(hex, 'hex').toString('base64url');
}

/** Publishes for both faces, every message once for its id. */
export class CompatPublisher {
  constructor(
    private readonly publisher: BatchPublisher,
    private readonly once: Pick<OncePublisher, 'publish'>,
    private readonly ttlMs: number,
    private readonly parts: {
      readonly ai: AiMessages;
      readonly counters: RuntimeCounters;
      readonly news: Pick<PublishNews, 'tellOne'>;
    },
  ) {}

  /**
   * Publishes them in order; those before one that fails stay published.
   *
   * @throws CompatError, or rejects with it.
   */
  async publish(request: NewMessages): Promise<Published> {
    const { base } = request;
    const messages = this.#judged(request);
    const ids = idsOf(messages, () => base ?? newBase());
    const publications = messages.map((message, index) =>
      publicationOf(request, message, ids[index] ?? '', this.ttlMs),
    );
    const receipts = await this.#sent(messages, publications).catch((error: unknown) => {
      throw refusalOf(error instanceof SeriesFailure ? error.cause : error);
    });
    const repeated = receipts.filter(({ isDuplicate }) => isDuplicate === true).length;
    if (repeated > 0) this.parts.counters.add('duplicate_suppression', repeated);
    for (const [index, { channel, event, extrasText }] of publications.entries()) {
      const receipt = receipts[index];
      if (receipt !== undefined && !isEphemeral(messages[index]))
        this.parts.news.tellOne(request.principal.app, { channel, name: event, extrasText }, receipt);
    }
    return {
      ids,
      serials: receipts.map(({ version }, index) => version?.messageSerial ?? ids[index] ?? ''),
      isNew: receipts.map(({ isDuplicate }) => isDuplicate !== true),
    };
  }

  #judged({ messages, principal, channel }: NewMessages): readonly NewMessage[] {
    try {
      return messages.map((message) => this.parts.ai.judged(message, principal, channel.name));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async #sent(
    messages: readonly NewMessage[],
    publications: readonly Publication[],
  ): Promise<readonly Receipt[]> {
    // Durable messages are committed together: one by one, a thousand messages would need a thousand commits.
    if (publications.length > 1 && publications.every(({ history }) => history !== null))
      return this.publisher.publishSeries(publications);
    const receipts: Receipt[] = [];
    for (const [index, one] of publications.entries()) {
      const isGiven = typeof messages[index]?.id === 'string';
      const done =
        isGiven && one.key !== null ? this.once.publish(one, one.key) : this.publisher.publish(one);
      receipts.push(await done);
    }
    return receipts;
  }
}

/** Whether the message is delivered only to currently connected sockets. */
export const isEphemeral = (message: NewMessage | undefined): boolean =>
  message?.extras?.['ephemeral'] === true;

/** The fingerprint for deduplication: the same content under one id is published once, regardless of the connection. */
const fingerprintOf = ({ event, dataText, extrasText }: NativeParts, clientId: string | null): string =>
  createHash('sha256')
    .update(JSON.stringify([event, dataText, extrasText, clientId]))
    .digest('hex');

function publicationOf(
  { principal: { app }, channel, connectionId, base }: NewMessages,
  message: NewMessage,
  messageId: string,
  ttlMs: number,
): Publication {
  const said = toNative(message);
  const isFromId = connectionById(messageId) === (connectionId ?? undefined);
  const parts = isFromId ? said : toNative(message, connectionId ?? '');
  // An id generated here for a server cannot match an earlier publish.
  const isKeyed = message.id !== null || base !== null;
  return {
    key: isKeyed
      ? { key: `compat:${messageId}`, fingerprint: fingerprintOf(said, message.clientId), ttlMs }
      : null,
    appId: app.id,
    channel: channel.name,
    ...parts,
    userId: message.clientId,
    ...(message.clientId === null ? {} : { creatorId: message.clientId }),
    exceptSocketId: connectionId,
    // A server that publishes for a connection publishes as its client, which receives the message if echo is enabled.
    isFromClient: base !== null || connectionId !== null,
    messageId,
    isLastEvent: base === null && channel.traits.keepsLastEvent,
    ...keptOf(channel, isEphemeral(message)),
    tagsText: null,
  };
}
