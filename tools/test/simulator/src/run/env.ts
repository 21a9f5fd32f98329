import type { Simulation } from '../kernel/simulation.js';
import type { Violation } from '../kernel/violation.js';
import type { Plan } from '../plan/plan.js';
import type { Network } from './network.js';

/** Surroundings of a simulated world. */
export interface Env {
  readonly simulation: Simulation;
  readonly network: Network;
  readonly plan: Plan;
  /** Whether the store answers nothing, as during a failover. */
  isStoreDown: boolean;
  /** The process ends now, and starts anew later. Code of it that still runs in this step has no effect afterwards. */
  stop(node: number, restartMs: number): void;
  report(violation: Violation): void;
}

/** Applications of every world; each channel name exists in both. */
export const APPS = ['shop', 'chat'] as const;

export const appAt = (index: number): string => APPS[index % APPS.length] ?? APPS[0];
