import { usageError } from '../program/errors.js';
import type { Values } from '../program/values.js';

export interface BenchPlan {
  readonly connections: number;
  readonly channels: number;
  readonly rate: number;
  readonly durationMs: number;
  readonly payload: number;
}

const MAX_DURATION_MS = 600_000;
/** A bit of memory for each. */
const MAX_DELIVERIES = 500_000_000;

export function planOf(values: Values): BenchPlan {
  const plan = {
    connections: values.integer('connections', { min: 1, max: 10_000 }) ?? 100,
    channels: values.integer('channels', { min: 1, max: 1000 }) ?? 1,
    rate: values.integer('rate', { min: 1, max: 10_000 }) ?? 100,
    durationMs: values.durationMs('duration') ?? 10_000,
    payload: values.integer('payload', { min: 1, max: 65_536 }) ?? 100,
  };
  if (plan.durationMs > MAX_DURATION_MS) throw usageError('--duration is longer than 10m');
  if (plan.channels > plan.connections)
    throw usageError('--channels is larger than --connections: channels without subscriber');
  const deliveries = (plan.connections / plan.channels) * plan.rate * (plan.durationMs / 1000);
  if (deliveries > MAX_DELIVERIES)
    throw usageError(`the plan has ${Math.round(deliveries)} deliveries; the limit is ${MAX_DELIVERIES}`);
  return plan;
}

/** Data of an event: its index in the channel and the time it was sent, filled up to the size. */
export function payloadOf(index: number, sentMs: number, size: number): string {
  const head = `${index}:${sentMs.toFixed(3)}:`;
  return head + 'x'.repeat(Math.max(0, size - head.length));
}

/** Null: the data is not that of a bench. */
export function readPayload(data: unknown): { readonly index: number; readonly sentMs: number } | null {
  const [, index, sentMs] = /^(\d+):(\d+\.\d+):/.exec(typeof data === 'string' ? data : '') ?? [];
  return index === undefined ? null : { index: Number(index), sentMs: Number(sentMs) };
}
