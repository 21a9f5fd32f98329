import type { PresenceEventName } from './presence.js';
import type { Stream } from './stream.js';

/** Presence events between two checkpoints. */
export const CHECKPOINT_EVERY = 1000;

/** Member limit of a checkpoint: a commit must stay bounded. */
export const MAX_CHECKPOINT_MEMBERS = 20_000;
const MAX_CHECKPOINT_BYTES = 4 * 1024 * 1024;
/** Bytes of a member besides its id. */
const STANDING_BYTES = 64;

/** A current member, by its last event. */
export interface PresenceStanding {
  readonly userId: string;
  readonly event: Exclude<PresenceEventName, 'member_removed'>;
  readonly serial: number;
  readonly atMs: number;
}

/**
 * Members after the event with that serial, derived from the events stored at its creation: members whose last event
 * had been purged are missing.
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

/** Whether a checkpoint falls within the next `events` events. */
export const reachesCheckpoint = ({ nextHistorySerial }: Stream, events: number): boolean =>
  Math.floor((nextHistorySerial - 1 + events) / CHECKPOINT_EVERY) >
  Math.floor((nextHistorySerial - 1) / CHECKPOINT_EVERY);
