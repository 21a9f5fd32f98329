import type { Changes, StoredRecord, Stream, StreamAddress, Wanted } from '@carillon/history-store';

/** A batch that changes nothing. */
export const NOTHING: Changes = {
  streams: [],
  records: [],
  receipts: [],
  presenceEvents: [],
  presenceMembers: [],
  presenceCheckpoints: [],
  operatorLog: [],
};

/** Requirements of a batch on a single stream. */
export const wantedOf = (address: StreamAddress, nowMs: number): Wanted => ({
  nowMs,
  streams: [{ address, create: true }],
  receipts: { scopes: [], sinceMs: nowMs },
  members: [],
  crowds: [],
  below: null,
  inspect: false,
});

interface Written {
  readonly deliverySerial: number;
  readonly historySerial: number;
  readonly publishedAtMs: number;
  readonly untilMs: number;
  readonly messageId: string;
  readonly payload: string;
}

/** A row of a message that was published and never changed. */
export const rowOf = (
  { streamKey, generation }: Stream,
  { untilMs, payload, ...written }: Written,
): StoredRecord => ({
  streamKey,
  generation,
  ...written,
  rootHistorySerial: null,
  historyUntilMs: untilMs,
  keepUntilMs: untilMs,
  action: 'plain',
  messageSerial: null,
  versionSerial: null,
  eventName: 'e',
  actorClientId: null,
  payload,
  payloadSize: payload.length,
  tombstone: false,
});
