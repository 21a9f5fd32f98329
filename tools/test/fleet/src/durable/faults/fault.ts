import type { Random } from '../../random.js';
import type { Installation } from '../installation.js';

/** What a fault has to work with. */
export interface DurableScene {
  readonly installation: Installation;
  readonly random: Random;
  /** How long the longest of the lasting faults lasts. */
  readonly lastingMs: number;
}

/** One way to break an installation. When it resolves everything is mended; nothing need have settled. */
export interface DurableFault {
  readonly name: string;
  /** Whether a publish may be refused for now while it lasts; else every one is accepted, late at worst. */
  readonly mayRefuse: boolean;
  /** It lasts longer than a publish may wait, so some are refused. Absent: that follows from nothing. */
  readonly mustRefuse?: boolean;
  /** Whether the connection of a publish may end without an answer. */
  readonly mayHangUp: boolean;
  /** Whether a gateway may have nobody to fetch from for so long that it goes on without what is missing. */
  readonly mayGiveUp?: boolean;
  strike(scene: DurableScene): Promise<void>;
}
