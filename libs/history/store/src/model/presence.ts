export type PresenceEventName = 'member_added' | 'member_updated' | 'member_removed';
export type PresenceCause = 'join' | 'disconnect' | 'timeout' | 'forced_disconnect' | 'orphan_cleanup';

/** One committed transition of a member. */
export interface PresenceEvent {
  readonly streamKey: string;
  readonly generation: number;
  readonly serial: number;
  readonly atMs: number;
  readonly event: PresenceEventName;
  readonly cause: PresenceCause;
  readonly userId: string;
  readonly connectionId: string | null;
  readonly deadNodeId: string | null;
  /** Presence data as JSON text; `null` for a removal. */
  readonly body: string;
  readonly bodySize: number;
  readonly keepUntilMs: number;
}

/** A current member according to committed events of the current generation. */
export interface MemberThere {
  readonly appId: string;
  readonly channel: string;
  readonly streamKey: string;
  readonly userId: string;
}

/** State of one member after its last event, against which the next event is checked. */
export interface PresenceMember {
  readonly streamKey: string;
  readonly generation: number;
  readonly userId: string;
  readonly present: boolean;
  /** The highest `transition_no` seen; null: the registry keeps none. */
  readonly lastNo: number | null;
  readonly lastSerial: number;
}
