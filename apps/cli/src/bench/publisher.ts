import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedApi } from '../api/signed.js';
import { type BenchPlan, payloadOf } from './plan.js';

const MAX_IN_FLIGHT = 64;
const TICK_MS = 10;

export interface Published {
  /** Published events by channel. */
  readonly counts: readonly number[];
  readonly total: number;
  readonly durationMs: number;
  /** Whether this machine or the service could not keep the rate. */
  readonly isSaturated: boolean;
}

/** Publishes at the rate of the plan until its duration ends or `signal` is aborted. */
export async function publishAtRate(
  api: SignedApi,
  plan: BenchPlan,
  names: readonly string[],
  signal: AbortSignal,
  onProgress: (fraction: number, total: number) => void,
): Promise<Published> {
  const counts = names.map(() => 0);
  const next = names.map(() => 0);
  const inFlight = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  let due = 0;
  let total = 0;
  let isSaturated = false;
  const startedMs = performance.now();
  const publishOne = async (body: object): Promise<boolean> => {
    try {
      await api.request({ method: 'POST', path: '/events', body, idempotent: false });
      return true;
    } catch (error) {
      failures.push(error);
      return false;
    }
  };
  const send = (channel: number): void => {
    const index = next[channel] ?? 0;
    next[channel] = index + 1;
    const body = {
      name: 'bench',
      channels: [names[channel]],
      data: payloadOf(index, performance.now(), plan.payload),
    };
    const work: Promise<unknown> = publishOne(body).then((isPublished) => {
      if (isPublished) counts[channel] = (counts[channel] ?? 0) + 1;
      total += Number(isPublished);
      return inFlight.delete(work);
    });
    inFlight.add(work);
  };
  while (!signal.aborted && failures.length === 0) {
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs >= plan.durationMs) break;
    const wanted = Math.floor((elapsedMs / 1000) * plan.rate) + 1;
    for (; due < wanted && inFlight.size < MAX_IN_FLIGHT; due += 1) send(due % names.length);
    // The rest of this tick is left out instead of piling up.
    if (due < wanted) {
      isSaturated = true;
      due = wanted;
    }
    onProgress(elapsedMs / plan.durationMs, total);
    await sleep(TICK_MS);
  }
  await Promise.all(inFlight);
  if (failures.length > 0 && !signal.aborted) throw failures[0];
  return { counts, total, durationMs: performance.now() - startedMs, isSaturated };
}
