import type { Presence, PresenceChange } from '../src/index.js';
import { brief, line } from './samples.js';

/** What a driver gives its tests. */
export interface World {
  /** Each stands for a process; all are over one store. As many as asked for, or one if the driver cannot share. */
  readonly instances: readonly [Presence, ...Presence[]];
  /** A lease that this world can wait for. */
  readonly leaseMs: number;
  /** Lets so much time go by, and what ends in it be told. */
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
  /** Forgets what was told and answers it, as whole lines or in short. */
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
