import { ENVIRONMENT, Simulation } from '../kernel/simulation.js';
import { activate } from '../kernel/virtual-globals.js';
import type { Violation } from '../kernel/violation.js';
import type { FaultEvent } from '../plan/fault-classes.js';
import type { Plan } from '../plan/plan.js';
import type { Core, World } from './core.js';
import type { Env } from './env.js';
import { Network } from './network.js';

export interface RunResult {
  readonly steps: number;
  readonly hash: number;
  readonly violation: (Violation & { readonly step: number; readonly timeMs: number }) | null;
}

/** Simulated time of phase 2 beyond the longest lease of the core. */
const CALM_MS = 30_000;
/** Bound of the steps of phase 2: a core that never becomes quiet ends here. */
const MAX_CALM_STEPS = 60_000;
const FAILOVER_MS = 500;

/** Runs a plan: phase 1 with faults, phase 2 without, convergence at the end. */
export async function simulate(core: Core, plan: Plan, trace?: (line: string) => void): Promise<RunResult> {
  const simulation = new Simulation(plan.seed, `run ${plan.core}/${plan.fault}`);
  if (trace !== undefined) simulation.trace = trace;
  activate(simulation);
  const rejected = (error: unknown): void => simulation.fail(error);
  process.on('unhandledRejection', rejected);
  process.on('uncaughtException', rejected);
  try {
    await play(core, plan, simulation);
  } finally {
    process.off('unhandledRejection', rejected);
    process.off('uncaughtException', rejected);
    activate(null);
  }
  return { steps: simulation.steps, hash: simulation.hash, violation: simulation.violation };
}

async function play(core: Core, plan: Plan, simulation: Simulation): Promise<void> {
  const network = new Network(simulation, plan.rates);
  const env: Env = {
    simulation,
    network,
    plan,
    isStoreDown: false,
    report: (violation) => simulation.report(violation),
    stop: (node, restartMs) => stop(node, restartMs, simulation, world),
  };
  const world = core.world(env, plan);
  for (let node = 0; node < plan.nodes; node += 1)
    simulation.deliver(node, 0, 'first start', () => world.started(node));
  let isOver = false;
  for (const event of plan.events)
    simulation.deliver(ENVIRONMENT, event.atMs, event.fault?.kind ?? event.action?.name ?? '', () => {
      if (isOver) return;
      if (event.fault === undefined) world.act(event.action);
      else inject(event.fault, env, world);
    });
  await simulation.drain();
  while (simulation.steps < plan.steps && (await simulation.step(plan.durationMs)))
    if (!holds(simulation, world)) return;
  isOver = true;
  calmDown(env, world);
  const untilMs = simulation.nowMs + core.settleMs + CALM_MS;
  const mostSteps = simulation.steps + MAX_CALM_STEPS;
  while (simulation.steps < mostSteps && (await simulation.step(untilMs)))
    if (!holds(simulation, world)) return;
  await world.finish();
}

function holds(simulation: Simulation, world: World): boolean {
  if (simulation.violation === null) world.check?.();
  return simulation.violation === null;
}

function inject(fault: FaultEvent, env: Env, world: World): void {
  const { simulation, network, plan } = env;
  const node = 'target' in fault ? fault.target % plan.nodes : 0;
  switch (fault.kind) {
    case 'kill':
      return stop(node, fault.ms, simulation, world);
    case 'freeze':
      return simulation.freeze(node, fault.ms);
    case 'partition':
      return network.cut(node, fault.ms, fault.oneWay);
    case 'jump':
      return simulation.jumpClock(node, fault.ms);
    case 'drift':
      return simulation.setDrift(node, fault.ppm);
    case 'failover':
      env.isStoreDown = true;
      simulation.after(FAILOVER_MS, 'failover ends', () => (env.isStoreDown = false));
      return world.lose?.(fault.lostMs);
    case 'loss':
      return world.lose?.(fault.olderMs);
  }
}

function stop(node: number, restartMs: number, simulation: Simulation, world: World): void {
  if (!simulation.isUp(node)) return;
  simulation.kill(node);
  world.killed(node);
  simulation.inside(ENVIRONMENT, () =>
    simulation.after(restartMs, 'start', () => start(node, simulation, world)),
  );
}

function start(node: number, simulation: Simulation, world: World): void {
  if (simulation.isUp(node)) return;
  simulation.start(node);
  simulation.deliver(node, 0, 'starts', () => world.started(node));
}

function calmDown(env: Env, world: World): void {
  const { simulation, network, plan } = env;
  network.calm();
  env.isStoreDown = false;
  simulation.thaw();
  for (let node = 0; node < plan.nodes; node += 1) start(node, simulation, world);
  world.calm?.();
}
