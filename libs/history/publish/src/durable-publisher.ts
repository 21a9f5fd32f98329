import { randomUUID } from 'node:crypto';
import type { CommitRecordOf, CommitResult } from '@carillon/contracts';
import { encodeMessageV2, extrasWith, versionHeaders } from '@carillon/protocol';
import type { Logger } from '@carillon/runtime';
import { isCommitted, refusalOf } from './commit-results.js';
import type { Commits } from './commits.js';
import { idOf, scopeOf } from './identity.js';
import { messageOf } from './message-of.js';
import type { KeptFor, Publication, Receipt } from './publication.js';
import type { StoredLastEvents } from './stored-last-events.js';
import { SeriesFailure } from './series-failure.js';
import { uuidV7 } from './uuid-v7.js';

/** Dependencies of a `DurablePublisher`. */
export interface DurablePublisherParts {
  readonly commits: Commits;
  readonly lastEvents: Pick<StoredLastEvents, 'keepPositioned'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Policy of mutable messages; absent: none. */
  readonly living?: LivingMessages;
}

/** Policy of mutable messages of a channel. */
export interface LivingMessages {
  /** Retention of versions; null: unlimited. */
  readonly versionsMs: number | null;
  /** Policy of AI streams of the channel; null: none. */
  readonly aiOf: (channel: string) => CommitRecordOf<'create'>['policy']['ai'];
}

/** An event of a channel with a history. */
export type DurablePublication = Publication & { readonly history: KeptFor };

/** Publishes events of durable channels: commits them; the committing writer fans them out. */
export class DurablePublisher {
  constructor(private readonly parts: DurablePublisherParts) {}

  /**
   * Resolves when the event is committed. Rejects with the `ServiceError` of the rejection: after `backpressure`
   * nothing was committed, after `service_unavailable` it may have been, once.
   */
  async publish(publication: Publication, kept: KeptFor): Promise<Receipt> {
    const record = this.#recordOf(publication, kept);
    const [result] = await this.parts.commits.commit([record]);
    return this.#receipt(publication, record, result);
  }

  /** The same for several, one after another; ends with the first that is refused, as a `SeriesFailure`. */
  async publishSeries(publications: readonly DurablePublication[]): Promise<readonly Receipt[]> {
    const records = publications.map((publication) => this.#recordOf(publication, publication.history));
    const results = await this.parts.commits.commitChain(records);
    const receipts: Receipt[] = [];
    for (const [index, publication] of publications.entries()) {
      const record = records[index];
      if (record === undefined) continue;
      try {
        receipts.push(await this.#receipt(publication, record, results[index]));
      } catch (error) {
        throw new SeriesFailure(index, error);
      }
    }
    return receipts;
  }

  #recordOf(publication: Publication, kept: KeptFor): Published {
    const { living } = this.parts;
    const record = recordOf(publication, kept);
    if (living === undefined) return record;
    const { versionsMs, aiOf } = living;
    const { creatorId } = publication;
    return {
      ...record,
      op: 'create',
      ...(creatorId === undefined ? {} : { actor: { client_id: creatorId } }),
      policy: {
        ...record.policy,
        versioned: true,
        versions_ms: versionsMs,
        ai: aiOf(publication.channel),
      },
    };
  }

  async #receipt(
    publication: Publication,
    record: Published,
    result: CommitResult | undefined,
  ): Promise<Receipt> {
    if (!isCommitted(result)) throw refusalOf(result);
    if (publication.isLastEvent && result.status === 'applied')
      await this.#keepLast(publication, record, result);
    const { history_serial: serial } = result;
    return {
      messageId: record.message_id,
      ...(typeof serial === 'number' ? { historySerial: serial } : {}),
      ...positionOf(result),
      ...versionOf(result),
      ...(result.status === 'duplicate' ? { isDuplicate: true } : {}),
    };
  }

  /** The event is in the history regardless, from which subscribers get it. */
  async #keepLast(publication: Publication, record: Published, result: CommitResult): Promise<void> {
    const { stream_id: streamId, delivery_serial: serial } = result;
    if (typeof streamId !== 'string' || typeof serial !== 'number') return;
    const { appId, channel } = publication;
    const message = messageOf(publication, record.message_id);
    const headers = createHeaders(result);
    const extrasText = headers === null ? message.extrasText : extrasWith(message.extrasText, headers);
    try {
      await this.parts.lastEvents.keepPositioned(appId, { ...message, extrasText, streamId, serial });
    } catch (error) {
      this.parts.log.warn('last event not stored', { app_id: appId, channel, error });
    }
  }
}

type Published = CommitRecordOf<'create' | 'publish'>;

function positionOf({
  stream_id: streamId,
  delivery_serial: serial,
}: CommitResult): Pick<Receipt, 'position'> {
  return typeof streamId === 'string' && typeof serial === 'number' ? { position: { streamId, serial } } : {};
}

function versionOf(result: CommitResult): Pick<Receipt, 'version'> {
  const { message_serial: messageSerial, version_serial: versionSerial, delivery_serial: serial } = result;
  if (typeof messageSerial !== 'string' || typeof versionSerial !== 'string' || typeof serial !== 'number')
    return {};
  return { version: { messageSerial, versionSerial, deliverySerial: serial } };
}

/** Headers of a new mutable message; null: not mutable. */
function createHeaders(result: CommitResult): string | null {
  const { history_serial: historySerial, published_at_ms: atMs } = result;
  const { version } = versionOf(result);
  if (version === undefined || typeof historySerial !== 'number' || typeof atMs !== 'number') return null;
  return versionHeaders({ action: 'create', ...version, historySerial, atMs });
}

function recordOf(publication: Publication, kept: KeptFor): CommitRecordOf<'publish'> {
  const { appId, channel, exceptSocketId, key, isLastEvent } = publication;
  const idem = key === null ? null : { scope: scopeOf(publication, key), ...key };
  const messageId = publication.messageId ?? (idem === null ? randomUUID() : idOf(idem.scope));
  return {
    pub_id: uuidV7(),
    op: 'publish',
    app_id: appId,
    channel,
    message_id: messageId,
    message: encodeMessageV2({ ...publication, messageId }),
    ...(exceptSocketId === null ? {} : { except_socket: exceptSocketId }),
    ...(publication.isFromClient === true ? { from_client: true } : {}),
    ...(publication.mayBeDelta === false ? { delta: false } : {}),
    ...(idem === null
      ? {}
      : { idem: { scope: idem.scope, fingerprint: idem.fingerprint, ttl_ms: Math.max(1, idem.ttlMs) } }),
    policy: {
      history_ms: finite(kept.retentionWindowSeconds * 1000),
      versions_ms: null,
      max_messages: finite(kept.maxMessages),
      max_bytes: finite(kept.maxBytes),
      versioned: false,
      cache: isLastEvent,
      ai: null,
    },
  };
}

/** Null: no limit. */
const finite = (bound: number): number | null => (Number.isSafeInteger(bound) ? bound : null);
