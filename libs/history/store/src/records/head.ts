import type { DurableState, Stream, StreamKind } from '../model/stream.js';

/**
 * Head row of a stream. Every commit replaces it on condition that its version is unchanged. Purges do not lower its
 * counters: removed amounts are in the side row.
 */
export interface Head {
  /** 0: the row does not exist. */
  readonly version: number;
  readonly stream: Stream;
  /** Bytes of all rows of the history that this generation ever had. */
  readonly sumBytes: number;
  /** The latest moment until which a row of the history is visible. */
  readonly maxUntilMs: number;
  /** The last history serial whose row expires before an earlier one; 0: rows expire in the order of their serials. */
  readonly mixedTo: number;
  /** The first history serial that differs from its delivery serial; null: none does. */
  readonly firstShifted: number | null;
  /** The number of operator purges, and the delivery serial below which the last one erases. */
  readonly purges: number;
  readonly eraseTo: number;
  /** The latest registration of the stream in each index; null: none. */
  readonly dueMs: number | null;
  readonly slot: number | null;
  readonly cappedAtMs: number | null;
  readonly degraded: string | null;
  readonly there: string | null;
  /** The latest time of a receipt. */
  readonly receiptAtMs: number;
  /** Another address has the same hash: the row is never deleted. */
  readonly isPinned: boolean;
}

/** The side row: the watermark and the work of purges, written without touching the head. */
export interface Side {
  /** 0: the row does not exist. */
  readonly version: number;
  /** The generation that everything below is of, see `incarnationOf`: after a reset or a deletion it counts no more. */
  readonly incarnation: string;
  readonly fannedOut: number;
  readonly removedMessages: number;
  readonly removedBytes: number;
  /** Open messages that expired. */
  readonly overStreams: number;
  readonly floorDelivery: number;
  readonly floorHistory: number;
  /** The delivery serial from which a sweep looks for expired rows: rows below never expire. */
  readonly sweepFrom: number;
  /** Progress of erasing after the operator purge of that number. */
  readonly erasing: number;
  readonly erasedTo: number;
  readonly dueMs: number | null;
}

/** Names one generation of one stream, for all time. */
const incarnationOf = ({ streamId, generation }: Pick<Stream, 'generation' | 'streamId'>): string =>
  `${streamId}/${generation}`;

export const noSide = (incarnation: string): Side => ({
  version: 0,
  incarnation,
  fannedOut: 0,
  removedMessages: 0,
  removedBytes: 0,
  overStreams: 0,
  floorDelivery: 1,
  floorHistory: 1,
  sweepFrom: 0,
  erasing: 0,
  erasedTo: 0,
  dueMs: null,
});

/** The side row as far as it concerns a stream. */
export function sideFor(side: Side, stream: Pick<Stream, 'generation' | 'streamId'>): Side {
  const incarnation = incarnationOf(stream);
  return side.incarnation === incarnation ? side : { ...noSide(incarnation), version: side.version };
}

/** Versions of a row that did not exist begin where no earlier ones were. */
export const nextVersion = (version: number): number =>
  version === 0 ? Math.floor(Math.random() * 2 ** 40) + 1 : version + 1;

/** The head of a stream that was just made. */
export const newHead = (stream: Stream): Head => ({
  version: 0,
  stream,
  sumBytes: 0,
  maxUntilMs: 0,
  mixedTo: 0,
  firstShifted: null,
  purges: 0,
  eraseTo: 0,
  dueMs: null,
  slot: null,
  cappedAtMs: null,
  degraded: null,
  there: null,
  receiptAtMs: 0,
  isPinned: false,
});

/** The stream that both rows describe. */
export function shownStream({ stream }: Head, row: Side): Stream {
  const side = sideFor(row, stream);
  return {
    ...stream,
    fannedOutSerial: Math.max(stream.fannedOutSerial, side.fannedOut),
    retainedMessages: stream.retainedMessages - side.removedMessages,
    retainedBytes: stream.retainedBytes - side.removedBytes,
    openStreams: Math.max(0, stream.openStreams - side.overStreams),
    floorDeliverySerial: Math.max(stream.floorDeliverySerial, side.floorDelivery),
    floorHistorySerial: Math.max(stream.floorHistorySerial, side.floorHistory),
  };
}

/** The stream as the head row stores it, so that `shownStream` gives it back. */
export function storedStream(stream: Stream, row: Side): Stream {
  const side = sideFor(row, stream);
  return {
    ...stream,
    retainedMessages: stream.retainedMessages + side.removedMessages,
    retainedBytes: stream.retainedBytes + side.removedBytes,
    openStreams: stream.openStreams + side.overStreams,
  };
}

const KINDS: readonly StreamKind[] = ['messages', 'presence'];
const STATES: readonly DurableState[] = ['healthy', 'degraded', 'reset_required'];

type StoredHead = ReturnType<typeof headFields>;

/** Values without names: a short head is cheaper to write. */
const headFields = ({ stream, ...head }: Head) =>
  [
    [stream.address.appId, stream.address.channel, KINDS.indexOf(stream.address.kind)],
    [stream.streamKey, stream.streamId, stream.generation],
    [stream.nextDeliverySerial, stream.nextHistorySerial, stream.nextAnnotationNo],
    [stream.fannedOutSerial, stream.lastCacheSerial],
    [stream.floorDeliverySerial, stream.floorHistorySerial, stream.floorMessageSerial],
    [stream.openStreams, stream.retainedMessages, stream.retainedBytes],
    [stream.newestPublishedAtMs, stream.lastAnnotationSerial, stream.lastKeepDay],
    [stream.maxMessages, stream.maxBytes, stream.updatedAtMs],
    [
      STATES.indexOf(stream.durable.state),
      stream.durable.reason,
      stream.durable.nodeId,
      stream.durable.changedAtMs,
    ],
    [head.sumBytes, head.maxUntilMs, head.mixedTo, head.firstShifted, head.purges, head.eraseTo],
    [
      head.dueMs,
      head.slot,
      head.cappedAtMs,
      head.degraded,
      head.there,
      head.receiptAtMs,
      head.isPinned ? 1 : 0,
    ],
  ] as const;

export const encodeHead = (head: Head): string => JSON.stringify(headFields(head));

export function decodeHead({ value, version }: { readonly value: string; readonly version: number }): Head {
  const [address, names, next, handed, floors, kept, latest, caps, durable, sums, indexes] = JSON.parse(
    value,
  ) as StoredHead;
  return {
    version,
    stream: {
      address: { appId: address[0], channel: address[1], kind: KINDS[address[2]] ?? 'messages' },
      streamKey: names[0],
      streamId: names[1],
      generation: names[2],
      nextDeliverySerial: next[0],
      nextHistorySerial: next[1],
      nextAnnotationNo: next[2],
      fannedOutSerial: handed[0],
      lastCacheSerial: handed[1],
      floorDeliverySerial: floors[0],
      floorHistorySerial: floors[1],
      floorMessageSerial: floors[2],
      openStreams: kept[0],
      retainedMessages: kept[1],
      retainedBytes: kept[2],
      newestPublishedAtMs: latest[0],
      lastAnnotationSerial: latest[1],
      lastKeepDay: latest[2],
      maxMessages: caps[0],
      maxBytes: caps[1],
      updatedAtMs: caps[2],
      durable: {
        state: STATES[durable[0]] ?? 'reset_required',
        reason: durable[1],
        nodeId: durable[2],
        changedAtMs: durable[3],
      },
    },
    sumBytes: sums[0],
    maxUntilMs: sums[1],
    mixedTo: sums[2],
    firstShifted: sums[3],
    purges: sums[4],
    eraseTo: sums[5],
    dueMs: indexes[0],
    slot: indexes[1],
    cappedAtMs: indexes[2],
    degraded: indexes[3],
    there: indexes[4],
    receiptAtMs: indexes[5],
    isPinned: indexes[6] === 1,
  };
}

type StoredSide = ReturnType<typeof sideFields>;

const sideFields = (side: Side) =>
  [
    side.incarnation,
    side.fannedOut,
    side.removedMessages,
    side.removedBytes,
    side.overStreams,
    side.floorDelivery,
    side.floorHistory,
    side.sweepFrom,
    side.erasing,
    side.erasedTo,
    side.dueMs,
  ] as const;

export const encodeSide = (side: Side): string => JSON.stringify(sideFields(side));

export function decodeSide({ value, version }: { readonly value: string; readonly version: number }): Side {
  const fields = JSON.parse(value) as StoredSide;
  return {
    version,
    incarnation: fields[0],
    fannedOut: fields[1],
    removedMessages: fields[2],
    removedBytes: fields[3],
    overStreams: fields[4],
    floorDelivery: fields[5],
    floorHistory: fields[6],
    sweepFrom: fields[7],
    erasing: fields[8],
    erasedTo: fields[9],
    dueMs: fields[10],
  };
}
