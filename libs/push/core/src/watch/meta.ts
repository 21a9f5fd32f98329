import type { StoredPublish } from '@carillon/push-store';
import type { Logger } from '@carillon/runtime';
import { isOver } from '../pipeline/lifecycle.js';

/** Log target with the steps of each push. */
export const META_TARGET = '[meta]log:push';

export type MetaEvent =
  | 'push-accepted'
  | 'publish-completed'
  | 'device-state-changed'
  | 'provider-rejected'
  | 'token-invalidated'
  | 'token-invalidation-guard'
  | 'quota-event'
  | 'scheduler-event'
  | 'circuit-breaker-event'
  | 'dead-letter'
  | 'cleanup-event';

export interface MetaBody {
  readonly appId?: string;
  readonly publishId?: string;
  readonly provider?: string;
  /** Counts, states and class names: never a payload, an address or a provider's text. */
  readonly detail?: Readonly<Record<string, string | number | null>>;
}

export interface Around {
  readonly meta: Logger;
}

/** Logged at `debug`: one line per request and delivery. */
export function tellMeta({ meta }: Around, event: MetaEvent, body: MetaBody): void {
  meta.debug(event, { event, ...body });
}

/** Logs that a change ended a publish. */
export function tellIfOver(around: Around, before: StoredPublish | null, after: StoredPublish | null): void {
  if (before === null || after === null || isOver(before) || !isOver(after)) return;
  const { appId, publishId, state, counters } = after;
  tellMeta(around, 'publish-completed', { appId, publishId, detail: { state, ...counters } });
}
