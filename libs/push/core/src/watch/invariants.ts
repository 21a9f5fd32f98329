import type { PublishState, StoredPublish } from '@carillon/push-store';
import type { PushParts } from '../parts.js';
import { isForbidden, moved } from '../pipeline/lifecycle.js';

type Around = Pick<PushParts, 'log' | 'metrics' | 'now'>;

/** Returns the publish in another active state; an invalid transition is skipped and logged. */
export function move(around: Around, publish: StoredPublish, state: PublishState): StoredPublish {
  if (isForbidden(publish.state, state)) {
    violated(around, 'status_transition', { from: publish.state, to: state });
  }
  return moved(publish, state, around.now());
}

/** Logs a publish with more results than deliveries. */
export function checkCounts(around: Around, { counters, planningComplete }: StoredPublish): void {
  const { planned, succeeded, failed, expired, deadLettered } = counters;
  const over = succeeded + failed + expired + deadLettered;
  if (planningComplete && over > planned) violated(around, 'more_results_than_planned', { over, planned });
}

function violated({ metrics, log }: Around, invariant: string, what: object): void {
  metrics.counter('push_invariant_violations_total').for({ invariant }).add();
  log.error('a push is in a state that should be impossible', { invariant, ...what });
}

/** Invariants; each metric starts at 0. */
export const INVARIANTS = ['status_transition', 'more_results_than_planned'] as const;
