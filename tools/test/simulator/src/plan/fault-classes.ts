/** Classes of faults that a run injects, one class per run. */
export const FAULTS = [
  'net-delay',
  'net-drop',
  'net-duplicate',
  'net-reorder',
  'net-partition',
  'store-timeout',
  'store-timeout-after-success',
  'store-stale-read',
  'store-torn-batch',
  'store-failover',
  'store-loss',
  'process-kill',
  'process-freeze',
  'clock-jump',
  'old-version',
  'bounds',
] as const;

export type Fault = (typeof FAULTS)[number];

/** Faults that act on every message or store operation. Zero: off. */
export interface Rates {
  readonly delayMs: number;
  readonly drop: number;
  readonly duplicate: number;
  readonly copies: number;
  readonly reorderMs: number;
  readonly storeTimeout: number;
  readonly storeTimeoutAfterSuccess: number;
  readonly storeStaleMs: number;
}

export const NO_RATES: Rates = {
  delayMs: 0,
  drop: 0,
  duplicate: 0,
  copies: 1,
  reorderMs: 0,
  storeTimeout: 0,
  storeTimeoutAfterSuccess: 0,
  storeStaleMs: 0,
};

/** A fault that happens at one time. `target` is a node, modulo the number of nodes. */
export type FaultEvent =
  | { readonly kind: 'kill'; readonly target: number; readonly ms: number }
  | { readonly kind: 'freeze'; readonly target: number; readonly ms: number }
  | { readonly kind: 'partition'; readonly target: number; readonly ms: number; readonly oneWay: boolean }
  | { readonly kind: 'jump'; readonly target: number; readonly ms: number }
  | { readonly kind: 'drift'; readonly target: number; readonly ppm: number }
  | { readonly kind: 'failover'; readonly lostMs: number }
  | { readonly kind: 'loss'; readonly olderMs: number | null };
