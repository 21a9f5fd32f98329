import { Random } from '../kernel/random.js';
import { type Fault, type FaultEvent, NO_RATES, type Rates } from './fault-classes.js';

/** An action of a client. Arguments are numbers that a core takes modulo the number of its nodes, channels and so on. */
export interface Action {
  readonly name: string;
  readonly args: readonly number[];
}

export type PlannedEvent = { readonly atMs: number } & (
  | { readonly action: Action; readonly fault?: never }
  | { readonly fault: FaultEvent; readonly action?: never }
);

/** Everything that decides a run. Equal plans give equal runs. */
export interface Plan {
  readonly core: string;
  readonly fault: Fault;
  readonly seed: number;
  /** Bound of the steps of phase 1. */
  readonly steps: number;
  readonly nodes: number;
  readonly channels: number;
  readonly clients: number;
  readonly durationMs: number;
  readonly rates: Rates;
  /** Capacities of bounded parts. Null: those of production. */
  readonly capacity: number | null;
  /** Number of nodes that behave like the last release. */
  readonly oldNodes: number;
  readonly events: readonly PlannedEvent[];
}

/** Name and weight of an action that a core knows. */
export interface ActionSpec {
  readonly name: string;
  readonly weight: number;
}

/** How many steps one action causes, roughly. */
const STEPS_PER_ACTION = 8;
const MAX_ARG = 1_000_000;
const ARGS = 6;

/** Expands a seed to the configuration and the schedule of one run. */
export function expand(
  core: { readonly name: string; readonly actions: readonly ActionSpec[] },
  fault: Fault,
  seed: number,
  steps: number,
): Plan {
  const random = new Random(seed, `${core.name}/${fault}`);
  const nodes = random.between(2, 5);
  const durationMs = random.pick([1000, 4000, 15_000, 40_000]);
  const rates = ratesOf(fault, random);
  const capacity = fault === 'bounds' ? random.between(1, 8) : null;
  const oldNodes = fault === 'old-version' ? random.between(1, nodes - 1) : 0;
  const weighted = core.actions.flatMap(({ name, weight }) => Array.from({ length: weight }, () => name));
  const actions = Math.max(5, Math.ceil(steps / STEPS_PER_ACTION));
  const events: PlannedEvent[] = Array.from({ length: actions }, () => ({
    atMs: random.next() * durationMs,
    action: { name: random.pick(weighted), args: Array.from({ length: ARGS }, () => random.below(MAX_ARG)) },
  }));
  for (let count = random.between(1, 5); count > 0; count -= 1) {
    const drawn = faultEvent(fault, random);
    if (drawn !== null) events.push({ atMs: random.next() * durationMs, fault: drawn });
  }
  events.sort((one, other) => one.atMs - other.atMs);
  const channels = random.between(1, 4);
  const clients = random.between(2, 20);
  return {
    core: core.name,
    fault,
    seed,
    steps,
    nodes,
    channels,
    clients,
    durationMs,
    rates,
    capacity,
    oldNodes,
    events,
  };
}

/** Each parameter of the class is on with probability ½, and at least one of them is. */
function ratesOf(fault: Fault, random: Random): Rates {
  const maybe = <Value>(on: Value, off: Value): Value => (random.chance(0.5) ? on : off);
  switch (fault) {
    case 'net-delay':
      return { ...NO_RATES, delayMs: random.pick([20, 100, 500, 2000]) };
    case 'net-drop':
      return { ...NO_RATES, drop: random.pick([0.01, 0.05, 0.2]), delayMs: maybe(20, 0) };
    case 'net-duplicate':
      return { ...NO_RATES, duplicate: random.pick([0.05, 0.3, 1]), copies: maybe(3, 1), delayMs: 30 };
    case 'net-reorder':
      return { ...NO_RATES, reorderMs: random.pick([10, 100, 600]) };
    case 'store-timeout':
      return { ...NO_RATES, storeTimeout: random.pick([0.02, 0.1, 0.4]), delayMs: maybe(20, 0) };
    case 'store-timeout-after-success':
      return { ...NO_RATES, storeTimeoutAfterSuccess: random.pick([0.02, 0.1, 0.4]), delayMs: maybe(20, 0) };
    case 'store-stale-read':
      return { ...NO_RATES, storeStaleMs: random.pick([50, 500, 3000]) };
    case 'store-torn-batch':
      return { ...NO_RATES, storeTimeout: random.pick([0.05, 0.2]) };
    case 'bounds':
    case 'clock-jump':
    case 'net-partition':
    case 'old-version':
    case 'process-freeze':
    case 'process-kill':
    case 'store-failover':
    case 'store-loss':
      break;
  }
  return { ...NO_RATES, delayMs: maybe(20, 0) };
}

const LONG_MS = 40_000;

function faultEvent(fault: Fault, random: Random): FaultEvent | null {
  const target = random.below(MAX_ARG);
  switch (fault) {
    case 'process-kill':
      return { kind: 'kill', target, ms: random.pick([1, 200, 3000, 20_000]) };
    case 'process-freeze':
      return { kind: 'freeze', target, ms: random.pick([50, 1000, 8000, LONG_MS]) };
    case 'net-partition':
      return { kind: 'partition', target, ms: random.pick([100, 2000, 15_000]), oneWay: random.chance(0.5) };
    case 'clock-jump':
      return random.chance(0.5)
        ? { kind: 'jump', target, ms: random.pick([-60_000, -500, 500, 60_000]) }
        : { kind: 'drift', target, ppm: random.pick([-500, -50, 50, 500]) };
    case 'store-failover':
      return { kind: 'failover', lostMs: random.pick([0, 20, 200]) };
    case 'store-loss':
      return { kind: 'loss', olderMs: random.chance(0.5) ? null : random.pick([100, 1000]) };
    case 'bounds':
    case 'net-delay':
    case 'net-drop':
    case 'net-duplicate':
    case 'net-reorder':
    case 'old-version':
    case 'store-stale-read':
    case 'store-timeout':
    case 'store-timeout-after-success':
    case 'store-torn-batch':
      break;
  }
  return null;
}
