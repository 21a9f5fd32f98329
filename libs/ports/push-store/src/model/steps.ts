import type { Claim, ClaimStep } from './publishes.js';

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
