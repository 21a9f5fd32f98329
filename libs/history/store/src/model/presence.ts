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
  /** What the member said of itself, as JSON text; `null` on a removal. */
  readonly body: string;
  readonly bodySize: number;
  readonly keepUntilMs: number;
}

/** A member who is there by what was committed, of the current generation of its stream. */
export interface MemberThere {
  readonly appId: string;
  readonly channel: string;
  readonly streamKey: string;
  readonly userId: string;
}

/** Where the events of one member have led: what the next one is checked against. */
export interface PresenceMember {
  readonly streamKey: string;
  readonly generation: number;
  readonly userId: string;
  readonly present: boolean;
  /** The highest `transition_no` seen; null: the registry keeps none. */
  readonly lastNo: number | null;
  readonly lastSerial: number;
}
