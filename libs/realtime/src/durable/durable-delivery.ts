import type { FanOutRecordBody } from '@carillon/contracts';
import type { StreamAddress } from '@carillon/history-store';
import { methodOf } from '@carillon/history-annotations';
import {
  type AnnotationsSummarized,
  type MessageAction,
  readAnnotatedV2,
  readMessageV2,
  readSummarizedV2,
} from '@carillon/protocol';
import { uuidV7, type Commits } from '@carillon/history-publish';
import type { Metrics } from '@carillon/runtime';
import type { Delivery } from '../delivery/delivery.js';
import type { ChannelFollower } from '../channels/channel-book.js';
import type { Hubs } from '../apps/hubs.js';
import type { LocalChannel } from '../channels/local-channel.js';
import type { PatternBook } from '../patterns/pattern-book.js';
import { PassingStreams } from './passing-streams.js';
import type { Past } from '../recovery/past.js';
import { AnnotationOrigin, inAnnotationOrder } from './annotation-order.js';
import { StoredOrigin } from './stored-origin.js';
import type { Head } from './stream-order.js';
import type { StreamReads } from './stream-reads.js';
import { type Seen, Streams, type StreamsParts } from './streams.js';

/** Dependencies of `DurableDelivery`. */
export interface DurableDeliveryParts {
  readonly hubs: Hubs;
  readonly delivery: Delivery;
  readonly patterns: Pick<PatternBook, 'covered'>;
  /** Null: this process cannot read streams. */
  readonly reads: StreamReads | null;
  readonly commits: Commits | null;
  readonly nodeId: () => string;
  /** Limit of a frame if the app defines none; 0: unlimited. */
  readonly maxFrameBytes: number;
  readonly metrics: Metrics;
  readonly past: Past;
  /** Called when missing records of a stream are given up. */
  readonly givenUp: (address: StreamAddress, at: Head) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Operations of records that hold a message, and the action of that message. */
const ACTIONS: Readonly<Partial<Record<FanOutRecordBody['op'], MessageAction>>> = {
  publish: 'plain',
  create: 'create',
  update: 'update',
  delete: 'delete',
  append: 'append',
};

/** Delivers committed records of durable channels, each stream in order. */
export class DurableDelivery implements ChannelFollower {
  readonly streams: Streams;
  readonly #byPattern: PassingStreams;
  /** Annotations have their own order. */
  readonly #annotations: Streams;
  readonly #annotationsByPattern: PassingStreams;

  constructor(private readonly parts: DurableDeliveryParts) {
    const { metrics, reads, onTrouble, givenUp } = parts;
    const counts: Pick<StreamsParts<FanOutRecordBody>, 'checked' | 'fetched' | 'onTrouble'> = {
      checked: (result) => metrics.counter('gateway_head_checks_total').for({ result }).add(),
      fetched: (result) => metrics.counter('gateway_gap_fetch_total').for({ result }).add(),
      onTrouble,
    };
    this.streams = new Streams({
      ...counts,
      origin: reads === null ? null : new StoredOrigin(reads),
      deliver: (record) => this.#deliver(record),
      regressed: (address, seen) => void this.#regressed(address, seen),
      givenUp,
    });
    this.#annotations = new Streams({
      ...counts,
      origin: reads === null ? null : new AnnotationOrigin(reads, (appId) => this.#maxFrameBytes(appId)),
      deliver: (record) => this.#deliverAnnotation(record),
      // If annotations are numbered from the start again, the earlier ones were lost: restarts here too.
      regressed: ({ appId, channel }) => {
        this.#annotations.leave(appId, channel);
        this.#annotations.follow(appId, channel);
      },
    });
    this.#byPattern = new PassingStreams(this.streams);
    this.#annotationsByPattern = new PassingStreams(this.#annotations);
  }

  follow({ hub, name, about }: LocalChannel): void {
    this.#byPattern.settled(hub.appId, name);
    this.#annotationsByPattern.settled(hub.appId, name);
    if (about.policy.history.enabled) this.streams.follow(hub.appId, name);
    if (about.policy.annotationsEnabled) this.#annotations.follow(hub.appId, name);
  }

  leave({ hub, name }: LocalChannel): void {
    this.streams.leave(hub.appId, name);
    this.#annotations.leave(hub.appId, name);
  }

  /** Never throws. */
  take(record: FanOutRecordBody): void {
    const { app_id: appId, channel } = record;
    // The cached messages of the channel may have been purged.
    if (record.op === 'purge') return this.parts.past.erase(appId, channel);
    const hub = this.parts.hubs.find(appId);
    if (hub === null) return;
    const isHere = hub.remembers(channel);
    // The channel's history, or its annotations, may have been enabled after a local subscription began.
    if (record.op === 'annotate' || record.op === 'unannotate') {
      if (isHere) this.#annotations.follow(appId, channel);
      else if (this.parts.patterns.covered(hub, channel) !== null)
        this.#annotationsByPattern.follow(appId, channel);
      else return;
      return this.#annotations.take(inAnnotationOrder(record));
    }
    if (!isHere && this.parts.patterns.covered(hub, channel) === null) return;
    if (isHere) this.streams.follow(appId, channel);
    else this.#byPattern.follow(appId, channel);
    this.streams.take(record);
  }

  /** The last pattern subscription of the app ended. */
  noPatterns(appId: string): void {
    this.#byPattern.forget(appId);
    this.#annotationsByPattern.forget(appId);
  }

  /** The broker is reachable again: fetches records missed meanwhile. */
  inReachAgain(): void {
    this.streams.compare();
    this.#annotations.compare();
  }

  stop(): void {
    this.streams.stop();
    this.#annotations.stop();
  }

  #deliver(record: FanOutRecordBody): void {
    const { message: text, op, app_id: appId, channel } = record;
    const action = ACTIONS[op];
    if (typeof text !== 'string' || action === undefined) return;
    const isFromClient = record.from_client === true;
    const fact = readMessageV2(text, { action, isFromClient, mayBeDelta: record.delta !== false });
    if (fact === null) return this.parts.onTrouble('reading a record', new Error('it holds no message'));
    const { published_at_ms: publishedAtMs } = record;
    if (this.parts.hubs.find(appId)?.remembers(channel) === true)
      this.parts.past.keep(appId, fact, publishedAtMs);
    this.parts.delivery.deliver({
      appId,
      channel,
      fact,
      exceptSocketId: record.except_socket ?? null,
      publishedAtMs,
    });
  }

  /** Delivers the summary first, then the annotation. */
  #deliverAnnotation({ app_id: appId, channel, summary, message, ...record }: FanOutRecordBody): void {
    const facts = [
      typeof summary === 'string' ? readSummarizedV2(summary, channel) : null,
      typeof message === 'string' ? readAnnotatedV2(message, channel) : null,
    ];
    for (const fact of facts) {
      if (fact === null) continue;
      const receivers = this.parts.delivery.deliver({
        appId,
        channel,
        fact,
        exceptSocketId: null,
        publishedAtMs: record.published_at_ms,
      });
      if (fact.kind === 'annotations_summarized') this.#countSummary(appId, fact, receivers);
    }
  }

  #countSummary(app_id: string, { summaryText }: AnnotationsSummarized, receivers: number): void {
    const { metrics } = this.parts;
    metrics.counter('annotation_summary_deliveries_total').for({ app_id }).add(receivers);
    if (!summaryText.includes('"clipped":true')) return;
    const [type = ''] = Object.keys(JSON.parse(summaryText) as object);
    metrics
      .counter('annotation_summary_clipped_total')
      .for({ app_id, type: methodOf(type) ?? 'unknown' })
      .add();
  }

  /** Limit of a frame of the app; 0: unlimited. */
  #maxFrameBytes(appId: string): number {
    const bytes = this.parts.hubs.find(appId)?.app.limits.maxEventPayloadBytes ?? Infinity;
    return Number.isSafeInteger(bytes) ? bytes : this.parts.maxFrameBytes;
  }

  /**
   * Reports that the store lost delivered records of a stream; the writer that owns the stream verifies the claim.
   * The last delivered message is claimed first, since the stream continues above it; but the store may have reached
   * that serial again, and the record may then be a later one.
   */
  async #regressed(address: StreamAddress, seen: Seen): Promise<void> {
    const { next, messageId, contradicted } = seen;
    const isTaken = await this.#claim(address, seen, { serial: next - 1, messageId });
    if (!isTaken && contradicted !== null) await this.#claim(address, seen, contradicted);
  }

  /** Returns whether the claim was confirmed. */
  async #claim(
    { appId, channel }: StreamAddress,
    { streamId, historyHead }: Seen,
    { serial, messageId }: { readonly serial: number; readonly messageId: string | null },
  ): Promise<boolean> {
    const { commits, nodeId, onTrouble } = this.parts;
    try {
      const results = await commits?.commit([
        {
          op: 'mark',
          pub_id: uuidV7(),
          app_id: appId,
          channel,
          stream: 'messages',
          state: 'reset_required',
          reason: 'history_stream_regressed',
          node_id: nodeId(),
          seen_stream_id: streamId,
          seen_delivery_serial: serial,
          ...(messageId === null ? {} : { seen_message_id: messageId }),
          ...(historyHead > 0 ? { seen_history_serial: historyHead } : {}),
        },
      ]);
      const extra = results?.[0]?.extra;
      return typeof extra === 'object' && extra !== null && 'changed' in extra && extra.changed === true;
    } catch (error) {
      onTrouble('claim about a stream', error);
      return false;
    }
  }
}
