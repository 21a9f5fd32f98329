import type { Driver } from '../broker/broker.js';
import type { Allowance } from '../model/check-presence.js';
import type { ConnectionRecord, Gap, Publication } from '../model/records.js';
import type { Fleet } from '../nodes/fleet.js';
import type { Node } from '../nodes/node.js';
import type { Random } from '../random.js';

/** What a fault has to work with. */
export interface Scene {
  readonly fleet: Fleet;
  readonly random: Random;
  readonly channels: readonly string[];
  /** How long lasting faults last. */
  readonly lastingMs: number;
  /** Says that a node may miss what is published from now until the fleet has settled. */
  gap(gateway: Node): Gap;
  /** An event that somebody else than the publishers tells, and subscribers must get. */
  record(publication: Publication): void;
  /** What clients know of the connections they have and had to a gateway. */
  connectionsOf(gateway: Node): readonly ConnectionRecord[];
  /** Ends every client's connection; they connect again by themselves. */
  hangUp(): void;
}

/** One way to break a fleet. When it resolves, everything is mended and every process runs; nothing need have settled. */
export interface Fault {
  readonly name: string;
  /** Drivers on which it can be done. */
  readonly drivers: readonly Driver[];
  /** Codes with which connections may be closed by it; others are wrong. Absent: any, or none. */
  readonly closeCodes?: readonly (number | null)[];
  /** What it may do to the presence of users. Absent: nothing. */
  readonly allowance?: Allowance;
  strike(scene: Scene): Promise<void>;
}
