import { inBodies, type JsonObject } from '@carillon/push-providers';
import type { PublishState, StoredPublish } from '@carillon/push-store';
import type { Accepted } from './admit.js';

const LABELS: Readonly<Partial<Record<PublishState, string>>> = {
  queued: 'accepted',
  partiallySucceeded: 'partially_succeeded',
};

/** The answer to a publish. */
export const acceptedShape = ({ publish, expected, rendered, duplicate }: Accepted): JsonObject => ({
  publishId: publish.publishId,
  status: LABELS[publish.state] ?? publish.state,
  expectedRecipients: expected,
  ...(publish.fanoutRegime === null ? {} : { fanoutRegime: publish.fanoutRegime }),
  ...(publish.errorReason === null ? {} : { errorReason: publish.errorReason }),
  ...(duplicate ? { duplicate: true } : {}),
  renderedPayloads: rendered.map(({ provider, payload, usedOverride }) => ({
    provider: inBodies(provider),
    payload,
    usedOverride,
  })),
});

/** Status of a publish. */
export const statusShape = (publish: StoredPublish): JsonObject => ({
  appId: publish.appId,
  publishId: publish.publishId,
  state: publish.state,
  counters: { ...publish.counters },
  ...(publish.fanoutRegime === null ? {} : { fanoutRegime: publish.fanoutRegime }),
  ...(publish.retryAfterMs === null ? {} : { retryAfterMs: publish.retryAfterMs }),
  ...(publish.errorReason === null ? {} : { errorReason: publish.errorReason }),
  createdAtMs: publish.createdMs,
  updatedAtMs: publish.updatedMs,
});
