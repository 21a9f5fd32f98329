import type { Claim, ClaimStep } from './publishes.js';

/** A claim and the owner of its lease; null: it has none. */
export type OwnedClaim = Claim & { readonly owner: string | null };

/** The claim after a step; null: the step cannot be taken. */
export function takeStep<One extends Claim>(
  claim: One,
  { from, attempt, to }: ClaimStep,
  nowMs: number,
): One | null {
  const isThere =
    from === 'open' ? claim.state !== 'done' : claim.state === from && claim.attempt === attempt;
  if (!isThere) return null;
  const free = { leaseUntilMs: null, updatedMs: nowMs };
  return to.state === 'done'
    ? { ...claim, ...free, state: 'done', outcome: to.outcome }
    : { ...claim, ...free, state: 'retry', attempt: to.attempt, leaseUntilMs: to.dueMs };
}

/** Takes the steps that can be taken, in their order, and returns the changed claims by delivery key. */
export function takeSteps(
  claims: ReadonlyMap<string, OwnedClaim>,
  steps: readonly ClaimStep[],
  nowMs: number,
): Map<string, OwnedClaim> {
  const after = new Map<string, OwnedClaim>();
  for (const step of steps) {
    const claim = after.get(step.deliveryKey) ?? claims.get(step.deliveryKey);
    const next = claim === undefined ? null : takeStep(claim, step, nowMs);
    if (next !== null) after.set(step.deliveryKey, { ...next, owner: null });
  }
  return after;
}

/** Throws a `RangeError` if one change has more steps than its store takes. */
export function checkSteps({ length }: readonly ClaimStep[], most: number): void {
  if (length > most) throw new RangeError(`${length} steps exceed the ${most} of one change; split them`);
}

/** A lease as a claim is taken for sending with it. */
interface Lease {
  readonly owner: string;
  readonly nowMs: number;
  readonly untilMs: number;
  readonly lapsedMs?: number;
}

/** The claim as it is sent by the owner of the lease; null: this attempt cannot be taken. */
export function takeClaim(claim: OwnedClaim, attempt: number, lease: Lease): OwnedClaim | null {
  if (claim.attempt !== attempt || claim.state === 'done') return null;
  const { owner, nowMs, untilMs: leaseUntilMs, lapsedMs = nowMs } = lease;
  if (claim.state === 'sending' && (claim.leaseUntilMs ?? 0) > lapsedMs) return null;
  const firstAttemptMs = claim.firstAttemptMs ?? nowMs;
  return { ...claim, state: 'sending', owner, leaseUntilMs, firstAttemptMs, updatedMs: nowMs };
}

/** Whether the attempt is being sent under a lease that ends later than this. */
export const isClaimHeld = (claim: Claim, attempt: number, nowMs: number): boolean =>
  claim.state === 'sending' && claim.attempt === attempt && (claim.leaseUntilMs ?? 0) > nowMs;

/** The claim after its owner released it unsent; null: it is not sent by this owner. */
export function releaseClaim(claim: OwnedClaim, owner: string, nowMs: number): OwnedClaim | null {
  if (claim.state !== 'sending' || claim.owner !== owner) return null;
  const [state, firstAttemptMs] =
    claim.attempt === 1 ? (['planned', null] as const) : (['retry', claim.firstAttemptMs] as const);
  return { ...claim, owner: null, leaseUntilMs: null, updatedMs: nowMs, state, firstAttemptMs };
}

/** The claim as if it had just been planned, for a replay. */
export const restartClaim = (claim: OwnedClaim, nowMs: number): OwnedClaim => ({
  ...claim,
  state: 'planned',
  attempt: 1,
  outcome: null,
  firstAttemptMs: null,
  leaseUntilMs: null,
  owner: null,
  updatedMs: nowMs,
});
