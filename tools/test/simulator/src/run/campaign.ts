import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realNow } from '../kernel/real-time.js';
import type { Violation } from '../kernel/violation.js';
import type { Fault } from '../plan/fault-classes.js';
import { expand, type Plan } from '../plan/plan.js';
import type { Core } from './core.js';
import type { Options } from './options.js';
import { pairsOf } from './pairs.js';
import { shrink } from './shrink.js';
import { simulate } from './simulate.js';

/** One line of output. */
export type Report = (event: { readonly type: string; readonly [name: string]: unknown }) => void;

export interface PairResult {
  readonly core: string;
  readonly fault: Fault;
  seeds: number;
  violations: number;
}

export interface CampaignResult {
  readonly runs: number;
  readonly steps: number;
  readonly seconds: number;
  readonly pairs: readonly PairResult[];
  readonly first: { readonly core: Core; readonly plan: Plan; readonly violation: Violation } | null;
}

/** Two runs of one seed differ: the simulation depends on something outside of it. */
export class NotDeterministic extends Error {
  override readonly name = 'NotDeterministic';
}

const PROGRESS_MS = 5000;
/** One seed of so many runs twice. */
const TWICE_EVERY = 100;
/** Failing seeds that are shrunk; the others are only listed. */
const MAX_SHRUNK = 1;

/** Runs all seeds of all pairs: the first seed of every pair, then the second, and so on. */
export async function campaign(
  options: Options,
  report: Report,
  stopAtFirst = false,
): Promise<CampaignResult> {
  const pairs = pairsOf(options);
  const results = pairs.map(({ core, fault }): PairResult => ({
    core: core.name,
    fault,
    seeds: 0,
    violations: 0,
  }));
  const [from, to] = options.seeds;
  const total = (to - from + 1) * pairs.length;
  const startedMs = realNow();
  let [runs, steps, toldMs, shrunk] = [0, 0, startedMs, 0];
  let first: CampaignResult['first'] = null;
  const seconds = (): number => (realNow() - startedMs) / 1000;
  for (let seed = from; seed <= to; seed += 1) {
    for (const [at, { core, fault }] of pairs.entries()) {
      if (seconds() > options.budgetSeconds)
        return { runs, steps, seconds: seconds(), pairs: results, first };
      const plan = expand(core, fault, seed, options.steps);
      const result = await simulate(core, plan);
      if ((seed + at) % TWICE_EVERY === 0) await mustBeSame(core, plan, result.hash);
      runs += 1;
      steps += result.steps;
      const pair = results[at];
      if (pair !== undefined) pair.seeds += 1;
      if (result.violation !== null) {
        if (pair !== undefined) pair.violations += 1;
        first ??= { core, plan, violation: result.violation };
        tell(report, core, plan, result.violation);
        if (stopAtFirst) return { runs, steps, seconds: seconds(), pairs: results, first };
        if (options.shrink && (shrunk += 1) <= MAX_SHRUNK) await tellShrunk(report, core, plan, result);
      }
      if (realNow() - toldMs > PROGRESS_MS) {
        toldMs = realNow();
        const perSecond = Math.round(steps / seconds());
        const left = Math.round((seconds() / runs) * (total - runs));
        report({ type: 'progress', runs, steps, steps_per_second: perSecond, left_seconds: left });
      }
    }
  }
  return { runs, steps, seconds: seconds(), pairs: results, first };
}

async function mustBeSame(core: Core, plan: Plan, hash: number): Promise<void> {
  const again = await simulate(core, plan);
  if (again.hash !== hash)
    throw new NotDeterministic(`two runs of ${core.name}/${plan.fault} seed ${plan.seed} differ`);
}

export function tell(
  report: Report,
  core: Core,
  plan: Plan,
  violation: Violation & { readonly step?: number; readonly timeMs?: number },
): void {
  const { step, timeMs, invariant, promise, expected, actual } = violation;
  const { events, ...config } = plan;
  report({
    type: 'violation',
    core: core.name,
    fault: plan.fault,
    seed: plan.seed,
    step,
    time_ms: timeMs,
    invariant,
    promise,
    expected,
    actual,
    config: { ...config, events: events.length },
  });
}

async function tellShrunk(
  report: Report,
  core: Core,
  plan: Plan,
  { violation, steps }: { readonly violation: Violation | null; readonly steps: number },
): Promise<void> {
  if (violation === null) return;
  const smaller = await shrink(core, plan, violation.invariant, steps);
  const folder = join(tmpdir(), 'carillon-simulator');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${core.name}-${plan.fault}-${plan.seed}.json`);
  writeFileSync(file, `${JSON.stringify({ invariant: violation.invariant, plan: smaller.plan }, null, 1)}\n`);
  report({
    type: 'shrunk',
    from_steps: steps,
    to_steps: smaller.steps,
    events: smaller.plan.events,
    file,
    replay: `npm run simulate -- --replay ${file}`,
    replay_seed: `npm run simulate -- --core ${core.name} --fault ${plan.fault} --replay ${plan.seed} --steps ${plan.steps}`,
  });
}
