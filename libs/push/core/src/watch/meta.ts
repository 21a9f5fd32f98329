import type { StoredPublish } from '@carillon/push-store';
import type { Logger } from '@carillon/runtime';
import { isOver } from '../pipeline/lifecycle.js';

/** Under which the log has what becomes of pushes, step by step, for whoever asks for it. */
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
  /** Counts, states and names of classes: never a payload, an address or what a provider said. */
  readonly detail?: Readonly<Record<string, string | number | null>>;
}

export interface Around {
  readonly meta: Logger;
}

/** As many as there are requests and deliveries, so they are for `debug`. */
export function tellMeta({ meta }: Around, event: MetaEvent, body: MetaBody): void {
  meta.debug(event, { event, ...body });
}

/** Says when a publish came to its end by a change. */
export function tellIfOver(around: Around, before: StoredPublish | null, after: StoredPublish | null): void {
  if (before === null || after === null || isOver(before) || !isOver(after)) return;
  const { appId, publishId, state, counters } = after;
  tellMeta(around, 'publish-completed', { appId, publishId, detail: { state, ...counters } });
}
