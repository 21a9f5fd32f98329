import type { Presence, PresenceChange } from '../src/index.js';
import { brief, line } from './samples.js';

/** A driver under test. */
export interface World {
  /** Instances that stand for processes over one store. As many as requested, or one if the driver is not shared. */
  readonly instances: readonly [Presence, ...Presence[]];
  /** A lease that this world can wait for. */
  readonly leaseMs: number;
  /** Advances time and waits for the reports due in it. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** An empty world. */
export type OpenWorld = (instances: number) => Promise<World>;

/** A world whose changes are written down. Where there is one instance only, it plays the other one too. */
export interface WatchedWorld extends World {
  readonly one: Presence;
  readonly other: Presence;
  readonly changes: PresenceChange[];
  /** Returns and clears the reports, as full lines or in short form. */
  told(): string[];
  toldBriefly(): string[];
}

export async function watched(open: OpenWorld): Promise<WatchedWorld> {
  const world = await open(2);
  const [one, other = one] = world.instances;
  const changes: PresenceChange[] = [];
  for (const instance of world.instances) instance.observe((change) => changes.push(change));
  return {
    ...world,
    one,
    other,
    changes,
    told: () => changes.splice(0).map(line),
    toldBriefly: () => changes.splice(0).map(brief),
  };
}
