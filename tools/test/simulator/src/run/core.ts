import type { Action, ActionSpec, Plan } from '../plan/plan.js';
import type { Fault } from '../plan/fault-classes.js';
import type { Env } from './env.js';

/** Processes of one core and the shadow model that judges them. */
export interface World {
  /** Runs inside the process that the action names, or in the environment. */
  act(action: Action): void;
  /** The process died: nothing of it runs any more. Its state outside of itself stays. */
  killed(node: number): void;
  /** The process starts anew. */
  started(node: number): void;
  /** The store loses its newest changes, or all. Absent: `applies` excludes it. */
  lose?(olderMs: number | null): void;
  /** Safety, after every step; it must be cheap. */
  check?(): void;
  /** All faults are over: orderly clean-up by clients begins, such as reading what is left. Absent: none. */
  calm?(): void;
  /** Convergence, after phase 2. */
  finish(): Promise<void> | void;
}

/** Production code of one concern with its simulated surroundings. */
export interface Core {
  readonly name: string;
  readonly promises: readonly string[];
  readonly actions: readonly ActionSpec[];
  readonly invariants: readonly string[];
  /** Longest lease or time of the core that phase 2 waits for. */
  readonly settleMs: number;
  /** Null: the fault applies. Else the reason why it cannot. */
  excludes(fault: Fault): string | null;
  world(env: Env, plan: Plan): World;
}
