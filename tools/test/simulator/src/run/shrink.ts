import { realNow } from '../kernel/real-time.js';
import { NO_RATES, type Rates } from '../plan/fault-classes.js';
import type { Plan, PlannedEvent } from '../plan/plan.js';
import type { Core } from './core.js';
import { simulate } from './simulate.js';

const MAX_TRIES = 2000;
const MAX_MS = 60_000;

export interface Shrunk {
  readonly plan: Plan;
  readonly steps: number;
  readonly tries: number;
}

/** Reduces a failing plan while the same invariant fails. */
export async function shrink(core: Core, plan: Plan, invariant: string, steps: number): Promise<Shrunk> {
  const untilMs = realNow() + MAX_MS;
  let best: Shrunk = { plan, steps, tries: 0 };
  let tries = 0;
  const attempt = async (candidate: Plan): Promise<boolean> => {
    if (tries >= MAX_TRIES || realNow() > untilMs) return false;
    tries += 1;
    const { violation, steps: taken } = await simulate(core, candidate);
    if (violation?.invariant !== invariant || taken > best.steps) return false;
    best = { plan: candidate, steps: taken, tries };
    return true;
  };
  await attempt({ ...plan, steps: Math.min(plan.steps, steps) });
  for (let size = -1; size !== sizeOf(best.plan);) {
    size = sizeOf(best.plan);
    await withoutEvents(
      (events) => attempt({ ...best.plan, events }),
      () => best.plan.events,
      isFault,
    );
    await withoutEvents(
      (events) => attempt({ ...best.plan, events }),
      () => best.plan.events,
      isAction,
    );
    for (const candidate of smaller(best.plan)) await attempt(candidate);
  }
  return { ...best, tries };
}

const isFault = (event: PlannedEvent): boolean => event.fault !== undefined;
const isAction = (event: PlannedEvent): boolean => event.action !== undefined;

const sizeOf = ({ events, nodes, channels, clients, rates }: Plan): number =>
  events.length * 1000 + nodes + channels + clients + Object.values(rates).reduce((sum, one) => sum + one, 0);

/** Removes events of one kind: halves, then quarters, down to single ones. */
async function withoutEvents(
  attempt: (events: readonly PlannedEvent[]) => Promise<boolean>,
  current: () => readonly PlannedEvent[],
  isOfKind: (event: PlannedEvent) => boolean,
): Promise<void> {
  let part = Math.ceil(current().filter(isOfKind).length / 2);
  while (part >= 1) {
    for (let from = 0; ;) {
      const chosen = current()
        .filter(isOfKind)
        .slice(from, from + part);
      if (chosen.length === 0) break;
      const isRemoved = await attempt(current().filter((event) => !chosen.includes(event)));
      if (!isRemoved) from += part;
    }
    if (part === 1) return;
    part = Math.ceil(part / 2);
  }
}

function* smaller(plan: Plan): Generator<Plan> {
  for (const name of ['nodes', 'channels', 'clients'] as const) {
    const least = name === 'nodes' ? Math.max(1, plan.oldNodes + 1) : 1;
    if (plan[name] > least) yield { ...plan, [name]: plan[name] - 1 };
    if (plan[name] > 2 * least) yield { ...plan, [name]: Math.ceil(plan[name] / 2) };
  }
  const { rates } = plan;
  for (const name of Object.keys(rates) as (keyof Rates)[]) {
    if (rates[name] === NO_RATES[name]) continue;
    yield { ...plan, rates: { ...rates, [name]: NO_RATES[name] } };
    if (rates[name] > 1) yield { ...plan, rates: { ...rates, [name]: Math.floor(rates[name] / 2) } };
  }
}
