import type { Fault } from './faults/fault.js';
import type { Fleet } from './nodes/fleet.js';
import { Play, type RunOptions } from './play.js';
import { Random } from './random.js';
import { now } from './wait.js';

/** What a run found. */
export interface RunReport {
  readonly fault: string;
  readonly seed: number;
  readonly violations: readonly string[];
  readonly published: number;
  readonly delivered: number;
  /** Events that subscribers of a node did not get while it was cut off from the broker. */
  readonly lostInGaps: number;
  readonly tookMs: number;
}

/** One run: clients at work, a fault in the middle, and a look at whether what must be true is. */
export async function run(fleet: Fleet, fault: Fault, options: RunOptions): Promise<RunReport> {
  const beganAtMs = now();
  const { seed } = options;
  // Channels of its own, so that runs on one fleet do not meet.
  const play = new Play(fleet, new Random(seed), `${seed}-${Math.round(beganAtMs)}`);
  const violations = await play
    .play(fault, options)
    .catch((error: unknown) => [`the run failed: ${error instanceof Error ? error.stack : String(error)}`]);
  const { wrong, missing, lostInGaps } = play.verdict();
  const { publications, connections } = play.evidence();
  const lines = connections.flatMap(({ received }) => [...received.values()]);
  return {
    fault: fault.name,
    seed,
    violations: [...violations, ...wrong, ...missing, ...fleet.nodes.flatMap((node) => node.trouble)],
    published: publications.length,
    delivered: lines.reduce((sum, { length }) => sum + length, 0),
    lostInGaps,
    tookMs: now() - beganAtMs,
  };
}
