import { FAULTS, type Fault } from '../plan/fault-classes.js';
import type { Core } from './core.js';
import { coreOf, CORES } from './cores.js';
import type { Options } from './options.js';

export interface Pair {
  readonly core: Core;
  readonly fault: Fault;
}

/** Pairs of core and fault that can be run. */
export const pairsOf = ({ cores, faults }: Pick<Options, 'cores' | 'faults'>): readonly Pair[] =>
  cores
    .map(coreOf)
    .flatMap((core) =>
      faults.filter((fault) => core.excludes(fault) === null).map((fault) => ({ core, fault })),
    );

/** The matrix of cores and faults, with the reason of each empty cell. */
export function matrix(): string {
  const width = Math.max(...FAULTS.map((fault) => fault.length)) + 2;
  const lines = ['', ...FAULTS].map(
    (fault) =>
      fault.padEnd(width) +
      CORES.map((core) =>
        (fault === '' ? core.name : core.excludes(fault as Fault) === null ? 'yes' : '–').padEnd(12),
      ).join(''),
  );
  const reasons = CORES.flatMap((core) =>
    FAULTS.flatMap((fault) => {
      const reason = core.excludes(fault);
      return reason === null ? [] : [`${core.name}/${fault}: ${reason}`];
    }),
  );
  return [...lines, '', ...reasons].join('\n');
}
