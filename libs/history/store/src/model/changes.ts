import type { NewCheckpoint, PresenceStanding } from './checkpoint.js';
import type { PresenceEvent, PresenceMember } from './presence.js';
import type { FoundMessages, MessageChanges, WantedMessages } from './living.js';
import type { FoundReceipt, Receipt } from './receipt.js';
import type { NewRecord } from './record.js';
import type { Stream, StreamAddress } from './stream.js';

/** What one batch has to know before it is decided. */
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
  /** Streams of presence that get so many events at most; each once. */
  readonly crowds: readonly { readonly address: StreamAddress; readonly events: number }[];
  /** What would go with everything below; asked alone with its stream, and null otherwise. */
  readonly below: Below | null;
  /** Whether the stored range of the streams is to be looked through; a costly read. */
  readonly inspect: boolean;
  /** The delivery serial of a record whose message id is asked for; asked alone with its stream, and absent otherwise. */
  readonly messageIdAt?: number;
  /** Absent: nothing of messages that live on. */
  readonly messages?: WantedMessages;
}

/** Everything, or what has a lower history serial, or was published earlier. */
export type Below =
  | { readonly mode: 'all' }
  | { readonly mode: 'before_serial'; readonly serial: number }
  | { readonly mode: 'before_time_ms'; readonly timeMs: number };

/** Rows of the history that a purge takes away. */
export interface Purgeable {
  /** The first history serial that stays. */
  readonly historyFloor: number;
  /** How many of the messages below it are streams that go on. */
  readonly openStreams: number;
  /** What of it could be read until then. */
  readonly messages: number;
  readonly bytes: number;
  /** What goes out of the counters of the stream: with what retention has hidden already. */
  readonly stored: { readonly messages: number; readonly bytes: number };
}

/** What is wrong with the history of a stream. */
export interface Inspection {
  /** A row at or above the floor is gone that neither retention nor an operator has taken away. */
  readonly gap: boolean;
  /** Two rows have one serial. */
  readonly conflict: boolean;
  /** A visible row holds what cannot be read. */
  readonly unreadable: boolean;
}

/** What the store holds, read while the streams are locked. */
export interface Found {
  /**
   * By `streamName`. Null: it does not exist and was not to be made. Absent: somebody else holds it now; its records
   * must wait.
   */
  readonly streams: ReadonlyMap<string, Stream | null>;
  /** By scope; the newest of each. */
  readonly receipts: ReadonlyMap<string, FoundReceipt>;
  readonly members: readonly PresenceMember[];
  /**
   * Who is there in those of the wanted crowds that a checkpoint may become due of, by `streamName`. Absent: none is
   * due, or too many are there.
   */
  readonly crowds: ReadonlyMap<string, readonly PresenceStanding[]>;
  readonly purgeable: Purgeable | null;
  /** By `streamName`. */
  readonly inspections: ReadonlyMap<string, Inspection>;
  /** Null: there is no such record, or it has none. Absent: it was not asked for. */
  readonly messageIdAt?: string | null;
  /** Absent: it was not asked for. */
  readonly messages?: FoundMessages;
}

/** An entry of the log of what operators did. */
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

/** What a batch writes. */
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
  /** Absent: nothing of messages that live on. */
  readonly messages?: MessageChanges;
}
