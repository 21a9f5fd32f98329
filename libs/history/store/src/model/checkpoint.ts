import type { PresenceEventName } from './presence.js';
import type { Stream } from './stream.js';

/** So many events of a stream of presence are from one checkpoint to the next. */
export const CHECKPOINT_EVERY = 1000;

/** Of a larger crowd no checkpoint is made: a commit must not carry any amount of it. */
export const MAX_CHECKPOINT_MEMBERS = 20_000;
const MAX_CHECKPOINT_BYTES = 4 * 1024 * 1024;
/** What a member takes beside its id. */
const STANDING_BYTES = 64;

/** A member who is there, by the last event of it. */
export interface PresenceStanding {
  readonly userId: string;
  readonly event: Exclude<PresenceEventName, 'member_removed'>;
  readonly serial: number;
  readonly atMs: number;
}

/**
 * Who is there after the event with that serial, as far as the events tell that were stored when it was made: a member
 * whose last event was purged by then is not among them.
 */
export interface PresenceCheckpoint {
  readonly serial: number;
  readonly members: readonly PresenceStanding[];
}

/** A checkpoint as it is written; kept as long as its event is. */
export interface NewCheckpoint extends PresenceCheckpoint {
  readonly streamKey: string;
  readonly generation: number;
  readonly keepUntilMs: number;
}

/** Whether a checkpoint belongs to the event with that serial. */
export const isCheckpoint = (serial: number): boolean => serial % CHECKPOINT_EVERY === 0;

/** Whether a checkpoint may be made of them. */
export function fitsCheckpoint(members: readonly PresenceStanding[]): boolean {
  if (members.length > MAX_CHECKPOINT_MEMBERS) return false;
  const bytes = members.reduce((sum, { userId }) => sum + Buffer.byteLength(userId) + STANDING_BYTES, 0);
  return bytes <= MAX_CHECKPOINT_BYTES;
}

/** Whether a checkpoint is due among so many further events. */
export const reachesCheckpoint = ({ nextHistorySerial }: Stream, events: number): boolean =>
  Math.floor((nextHistorySerial - 1 + events) / CHECKPOINT_EVERY) >
  Math.floor((nextHistorySerial - 1) / CHECKPOINT_EVERY);
