import type { NewCheckpoint, PresenceStanding } from './checkpoint.js';
import type { PresenceEvent, PresenceMember } from './presence.js';
import type { FoundMessages, MessageChanges, WantedMessages } from './living.js';
import type { FoundReceipt, Receipt } from './receipt.js';
import type { NewRecord } from './record.js';
import type { Stream, StreamAddress } from './stream.js';

/** Data that one batch requires for its decision. */
export interface Wanted {
  readonly nowMs: number;
  /** Each once. */
  readonly streams: readonly {
    readonly address: StreamAddress;
    /** False: a stream that does not exist stays so. */
    readonly create: boolean;
  }[];
  readonly receipts: {
    readonly scopes: readonly string[];
    /** No receipt that was written before is of interest. */
    readonly sinceMs: number;
  };
  readonly members: readonly { readonly address: StreamAddress; readonly userId: string }[];
  /** Presence streams with the number of events they receive; each once. */
  readonly crowds: readonly { readonly address: StreamAddress; readonly events: number }[];
  /** Rows that a purge would remove; requested alone with its stream, otherwise null. */
  readonly below: Below | null;
  /** Whether the stored range of the streams is to be looked through; a costly read. */
  readonly inspect: boolean;
  /** Delivery serial of a record whose message id is requested; alone with its stream, otherwise absent. */
  readonly messageIdAt?: number;
  /** Absent: the batch has no mutable messages. */
  readonly messages?: WantedMessages;
}

/** All rows, or those with a lower history serial or an earlier publish time. */
export type Below =
  | { readonly mode: 'all' }
  | { readonly mode: 'before_serial'; readonly serial: number }
  | { readonly mode: 'before_time_ms'; readonly timeMs: number };

/** Rows of the history that a purge removes. */
export interface Purgeable {
  /** The first history serial that stays. */
  readonly historyFloor: number;
  /** Number of open messages below it. */
  readonly openStreams: number;
  /** Rows that were readable until then. */
  readonly messages: number;
  readonly bytes: number;
  /** Amount subtracted from the counters of the stream: includes rows already hidden by retention. */
  readonly stored: { readonly messages: number; readonly bytes: number };
}

/** Faults of the history of a stream. */
export interface Inspection {
  /** A row at or above the floor is missing that neither retention nor an operator removed. */
  readonly gap: boolean;
  /** Two rows have one serial. */
  readonly conflict: boolean;
  /** The content of a visible row is unreadable. */
  readonly unreadable: boolean;
}

/** Stored state, read while the streams are locked. */
export interface Found {
  /**
   * By `streamName`. Null: the stream does not exist and was not to be created. Absent: another transaction holds it;
   * its records must wait.
   */
  readonly streams: ReadonlyMap<string, Stream | null>;
  /** Newest receipt by scope. */
  readonly receipts: ReadonlyMap<string, FoundReceipt>;
  readonly members: readonly PresenceMember[];
  /**
   * Current members of the requested presence streams in which a checkpoint may be due, by `streamName`. Absent: none
   * is due, or there are too many members.
   */
  readonly crowds: ReadonlyMap<string, readonly PresenceStanding[]>;
  readonly purgeable: Purgeable | null;
  /** By `streamName`. */
  readonly inspections: ReadonlyMap<string, Inspection>;
  /** Null: the record does not exist or has no message id. Absent: not requested. */
  readonly messageIdAt?: string | null;
  /** Absent: not requested. */
  readonly messages?: FoundMessages;
}

/** An entry of the operator log. */
export interface OperatorEntry {
  readonly atMs: number;
  readonly appId: string;
  readonly channel: string;
  readonly operation: 'reset' | 'purge';
  readonly reason: string;
  readonly requestedBy: string | null;
  /** JSON text. */
  readonly result: string;
}

/** Rows that a batch writes. */
export interface Changes {
  /** New values of locked streams, each once. */
  readonly streams: readonly Stream[];
  readonly records: readonly NewRecord[];
  /** Each scope once; takes the place of an expired one. */
  readonly receipts: readonly Receipt[];
  readonly presenceEvents: readonly PresenceEvent[];
  readonly presenceMembers: readonly PresenceMember[];
  readonly presenceCheckpoints: readonly NewCheckpoint[];
  readonly operatorLog: readonly OperatorEntry[];
  /** Absent: the batch has no mutable messages. */
  readonly messages?: MessageChanges;
}
