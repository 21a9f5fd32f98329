import { gatewayCore } from '../cores/gateway/core.js';
import { lanesCore } from '../cores/lanes/core.js';
import { membershipCore } from '../cores/membership/core.js';
import { presenceCore } from '../cores/presence/core.js';
import { queueCore } from '../cores/queue/core.js';
import { FAULTS } from '../plan/fault-classes.js';
import type { Core } from './core.js';

export const CORES: readonly Core[] = [presenceCore, lanesCore, gatewayCore, membershipCore, queueCore];

export function coreOf(name: string): Core {
  const core = CORES.find((one) => one.name === name);
  if (core === undefined)
    throw new Error(`core "${name}" does not exist; expected ${CORES.map((one) => one.name).join(', ')}`);
  return core;
}

/** Whether a core judges this invariant under this fault. */
export function isSimulated(name: string, fault: string, invariant: string): boolean {
  const core = CORES.find((one) => one.name === name);
  const known = FAULTS.find((one) => one === fault);
  if (core === undefined || known === undefined) return false;
  return core.invariants.includes(invariant) && core.excludes(known) === null;
}
