import type { Loaded, ProcessKind } from '@carillon/config';
import type { Env } from '../program/invocation.js';
import type { Clock } from './clock.js';

/** What the checks work on. */
export interface DoctorContext {
  readonly process: ProcessKind;
  readonly loaded: Loaded;
  readonly env: Env;
  readonly cwd: string;
  readonly clock: Clock;
  /** Aborted at the end of the whole examination. */
  readonly signal: AbortSignal;
}

/** Longest time of one connection or request of a check. */
export const STEP_MS = 5000;
