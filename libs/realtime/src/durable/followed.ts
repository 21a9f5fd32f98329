import type { FanOutRecordBody } from '@carillon/contracts';
import type { StreamAddress } from '@carillon/history-store';
import type { OriginHead } from './origin.js';
import type { Ordered, StreamOrder } from './stream-order.js';

/** A record that tells its channel. */
export type Followable = Ordered & Pick<FanOutRecordBody, 'app_id' | 'channel'>;

/** Where a channel stands here: everything up to the serial was delivered, and what comes later will be. */
export interface Standing {
  readonly streamId: string;
  /** 0: nothing was ever delivered. */
  readonly serial: number;
  readonly historySerial: number;
}

/** One channel whose stream is followed. */
export interface Followed<Record extends Followable> {
  readonly address: StreamAddress;
  readonly order: StreamOrder<Record>;
  readonly sinceMs: number;
  /** By which what is missing is read next; null: it is asked where the stream stands first. */
  head: OriginHead<Record> | null;
  isFetching: boolean;
  /** The answer to where it stands, which somebody waits for already; null: nobody asks. */
  asking: Promise<void> | null;
  /** When it was last told that a second past shows up. */
  toldAtMs: number;
  /** It stands where its first record is. */
  beginsHere: boolean;
}

/** Whether it is known which stream what is missing is of. */
export const canRead = <Record extends Followable>({ order, head }: Followed<Record>): boolean =>
  !order.needsHead && head !== null && head.streamId === order.position?.streamId;

/** Whether it is not known where the channel stands, or something is missing. */
export const isBehind = <Record extends Followable>({ order }: Followed<Record>): boolean =>
  order.needsHead || order.gap !== null;

/** Null: it is not known, or something is missing, or it has no stream. */
export function standingOf<Record extends Followable>({ order }: Followed<Record>): Standing | null {
  const { position } = order;
  if (position === null || order.needsHead || order.gap !== null) return null;
  return { streamId: position.streamId, serial: position.next - 1, historySerial: order.historyHead };
}
