import { annotationFrame, summaryFrame, Tally } from '@carillon/history-annotations';
import type { FanOutRecordBody } from '@carillon/contracts';
import {
  streamName,
  type AnnotationEvent,
  type AnnotationSummary,
  type Stream,
  type StreamAddress,
} from '@carillon/history-store';
import type { Origin, OriginHead } from './origin.js';
import { MAX_HELD, type Gap, type Refetched } from './stream-order.js';
import type { StreamReads } from './stream-reads.js';

/**
 * Stream id of annotations. Their numbers continue whatever happens to the message stream, so their order is kept
 * under one permanent id.
 */
const ANNOTATIONS = 'annotations';
/** Limit of summaries searched for missed ones. */
const MAX_SUMMARIES = 1000;

/** Returns the record of an annotation with its position in the annotation order of the channel. */
export const inAnnotationOrder = (record: FanOutRecordBody): FanOutRecordBody => ({
  ...record,
  stream_id: ANNOTATIONS,
  serial: record.annotation_no ?? null,
});

/**
 * Origin of annotations, ordered by their numbers. Missed annotations are delivered with the current summary of their
 * type, which is all their subscribers can use.
 */
export class AnnotationOrigin implements Origin<FanOutRecordBody> {
  constructor(
    private readonly reads: StreamReads,
    private readonly maxFrameBytes: (appId: string) => number,
  ) {}

  async heads(
    addresses: readonly StreamAddress[],
  ): Promise<readonly (OriginHead<FanOutRecordBody> | null)[]> {
    const streams = await this.reads.heads(addresses);
    return addresses.map((address) => {
      const stream = streams.get(streamName(address));
      if (stream === undefined) return null;
      const read = (gap: Gap): Promise<Refetched[]> => this.#read(stream, gap);
      return { streamId: ANNOTATIONS, next: stream.nextAnnotationNo, read };
    });
  }

  async #read({ address, streamKey }: Stream, { fromSerial, toSerial }: Gap): Promise<Refetched[]> {
    const query = { streamKey, messageSerial: null, type: null, sinceMs: null };
    const found = await this.reads.annotations({ ...query, afterNo: fromSerial - 1, limit: MAX_HELD });
    const events = found.filter(({ annotationNo }) => annotationNo <= toSerial);
    const summaries = await summariesOf(address, events, this.reads);
    // Purged annotations no longer exist and are not reported.
    const upTo = found.length < MAX_HELD ? toSerial : (events.at(-1)?.annotationNo ?? toSerial);
    const byNumber = new Map(events.map((event) => [event.annotationNo, event]));
    return Array.from({ length: upTo - fromSerial + 1 }, (_, index) => {
      const event = byNumber.get(fromSerial + index);
      if (event === undefined) return fromSerial + index;
      const summary = summaries.get(pairOf(event)) ?? null;
      return recordOf(address, event, summary, this.maxFrameBytes(address.appId));
    });
  }
}

/** Returns the readable summaries, by message and type. */
async function summariesOf(
  address: StreamAddress,
  events: readonly AnnotationEvent[],
  reads: StreamReads,
): Promise<ReadonlyMap<string, AnnotationSummary>> {
  if (events.length === 0) return new Map();
  const [stream] = (await reads.heads([address])).values();
  if (stream === undefined) return new Map();
  const { streamKey, generation, floorMessageSerial } = stream;
  const query = { streamKey, generation, floorMessageSerial, nowMs: Date.now(), belowNo: null };
  const summaries = await reads.summaries({ ...query, limit: MAX_SUMMARIES });
  return new Map(summaries.map((summary) => [pairOf(summary), summary]));
}

const pairOf = ({ messageSerial, type }: Pick<AnnotationEvent, 'messageSerial' | 'type'>): string =>
  `${messageSerial} ${type}`;

function recordOf(
  { appId, channel }: StreamAddress,
  event: AnnotationEvent,
  summary: AnnotationSummary | null,
  maxFrameBytes: number,
): FanOutRecordBody {
  const { messageSerial, type, annotationNo } = event;
  const text =
    summary === null
      ? null
      : summaryFrame({ channel, messageSerial, type }, Tally.of(type, summary), maxFrameBytes).text;
  return inAnnotationOrder({
    writer_id: 'store',
    app_id: appId,
    channel,
    annotation_no: annotationNo,
    published_at_ms: event.atMs,
    op: event.action === 'create' ? 'annotate' : 'unannotate',
    summary: text,
    message: annotationFrame(channel, event),
    resent: true,
  });
}
