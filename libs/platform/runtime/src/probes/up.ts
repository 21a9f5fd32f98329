import type { HealthResult } from '../health/health.js';
import type { ProcessPhase } from '../process-state.js';
import { bounded } from '../time.js';
import { upAnswer, upBeforeHealth, type ProbeAnswer } from './probe-answer.js';

/** Finds one app in its store, for `/up/{appId}`. */
export interface AppLookup {
  /** Null: unknown app. Throws if the store is unavailable; stops when the signal aborts. */
  find(appId: string, signal: AbortSignal): Promise<{ readonly enabled: boolean } | null>;
}

/** State used by `/up`. */
export interface UpState {
  readonly process: { readonly current: ProcessPhase };
  readonly health: { check(): Promise<HealthResult> };
}

/** Whether this process can do its work. */
export async function upOfProcess({ process, health }: UpState): Promise<ProbeAnswer> {
  const early = upBeforeHealth(process.current);
  return upAnswer(early ?? (await health.check()).status);
}

/** Whether this process can serve one app. The state of the app is checked before shared dependencies. */
export async function upOfApp(
  appId: string,
  { process, health }: UpState,
  apps: AppLookup,
  timeoutMs: number,
): Promise<ProbeAnswer> {
  const early = upBeforeHealth(process.current);
  if (early !== null) return upAnswer(early);
  const [lookup, { status }] = await Promise.all([
    bounded(timeoutMs, (signal) => apps.find(appId, signal)),
    health.check(),
  ]);
  if (lookup.kind !== 'done') return upAnswer('ERROR');
  if (lookup.value === null) return upAnswer('NOT_FOUND');
  return upAnswer(lookup.value.enabled ? status : 'ERROR');
}
