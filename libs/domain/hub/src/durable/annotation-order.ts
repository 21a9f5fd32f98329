import { annotationFrame, summaryFrame } from '@carillon/annotations';
import type { FanOutRecordBody } from '@carillon/contract';
import type { AnnotationEvent, AnnotationSummary, Stream, StreamAddress } from '@carillon/history-store';
import type { Refetched } from './stream-order.js';
import type { OrderReads, StreamReads } from './stream-reads.js';

/** Annotations are numbered on whatever becomes of the stream: what is said of their order is of one that never ends. */
const ANNOTATIONS = 'annotations';
/** Summaries that are looked through for those that were missed. */
const MOST_SUMMARIES = 1000;

/** A record of an annotation as one of the order of its channel's annotations. */
export const inAnnotationOrder = (record: FanOutRecordBody): FanOutRecordBody => ({
  ...record,
  stream_id: ANNOTATIONS,
  serial: record.annotation_no ?? null,
});

/**
 * Annotations as their numbers order them. With those that were missed goes what all of their type come to now, which is
 * as much as their subscribers can make use of.
 */
export const annotationReads = (
  reads: StreamReads,
  maxFrameBytes: (appId: string) => number,
): OrderReads => ({
  heads: async (addresses) => {
    const heads = await reads.heads(addresses);
    return new Map([...heads].map(([name, stream]) => [name, headOfAnnotations(stream)]));
  },
  missing: async (address, { streamKey }, { fromSerial, toSerial }, limit) => {
    const afterNo = fromSerial - 1;
    const query = { streamKey, messageSerial: null, type: null, sinceMs: null, afterNo, limit };
    const found = await reads.annotations(query);
    const events = found.filter(({ annotationNo }) => annotationNo <= toSerial);
    const summaries = await summariesOf(address, events, reads);
    // What was erased is not there any more, and nobody is told of it.
    const upTo = found.length < limit ? toSerial : (events.at(-1)?.annotationNo ?? toSerial);
    const byNumber = new Map(events.map((event) => [event.annotationNo, event]));
    return Array.from({ length: upTo - fromSerial + 1 }, (_, index): Refetched => {
      const event = byNumber.get(fromSerial + index);
      if (event === undefined) return fromSerial + index;
      const summary = summaries.get(pairOf(event)) ?? null;
      return recordOf(address, event, summary, maxFrameBytes(address.appId));
    });
  },
});

const headOfAnnotations = (stream: Stream): Stream => ({
  ...stream,
  streamId: ANNOTATIONS,
  nextDeliverySerial: stream.nextAnnotationNo,
  fannedOutSerial: stream.nextAnnotationNo - 1,
});

/** By message and type, of what can be read still. */
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
  const summaries = await reads.summaries({ ...query, limit: MOST_SUMMARIES });
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
      : summaryFrame({ channel, messageSerial, type, summary: summary.summary }, maxFrameBytes).text;
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
