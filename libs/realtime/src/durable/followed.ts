import type { FanOutRecordBody } from '@carillon/contracts';
import type { StreamAddress } from '@carillon/history-store';
import type { OriginHead } from './origin.js';
import type { Ordered, StreamOrder } from './stream-order.js';

/** A record that contains its channel. */
export type Followable = Ordered & Pick<FanOutRecordBody, 'app_id' | 'channel'>;

/** The delivery position of a channel: everything up to the serial was delivered, and everything later will be. */
export interface Standing {
  readonly streamId: string;
  /** 0: nothing was delivered yet. */
  readonly serial: number;
  readonly historySerial: number;
}

/** A channel whose stream is followed. */
export interface Followed<Record extends Followable> {
  readonly address: StreamAddress;
  readonly order: StreamOrder<Record>;
  readonly sinceMs: number;
  /** Head from which missing records are read next; null if the head must be read first. */
  head: OriginHead<Record> | null;
  isFetching: boolean;
  /** The pending head request; null if there is none. */
  asking: Promise<void> | null;
  /** When a contradicting stream was last reported. */
  toldAtMs: number;
  /** Whether the position is set by the first record. */
  beginsHere: boolean;
}

/** Whether missing records can be read: their stream is known. */
export const canRead = <Record extends Followable>({ order, head }: Followed<Record>): boolean =>
  !order.needsHead && head !== null && head.streamId === order.position?.streamId;

/** Whether the position is unknown or records are missing. */
export const isBehind = <Record extends Followable>({ order }: Followed<Record>): boolean =>
  order.needsHead || order.gap !== null;

/** Returns the position; null if it is unknown, records are missing, or the channel has no stream. */
export function standingOf<Record extends Followable>({ order }: Followed<Record>): Standing | null {
  const { position } = order;
  if (position === null || order.needsHead || order.gap !== null) return null;
  return { streamId: position.streamId, serial: position.next - 1, historySerial: order.historyHead };
}
