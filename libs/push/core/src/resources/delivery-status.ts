import {
  CLOUDS,
  type FailureClass,
  FAILURE_CLASSES,
  type JsonObject,
  type Provider,
  providerNamed,
} from '@carillon/push-providers';
import { integerOf, invalid, neededText, objectOf, textOf, wholeObject, wordOf } from '../fields.js';
import type { Claim, PushStore, StoredDevice } from '@carillon/push-store';
import { sha256 } from '../hash.js';
import type { PushParts } from '../parts.js';
import { deliveryKeyOf } from '../pipeline/batcher.js';
import type { Outbox } from '../pipeline/outbox.js';

/** Suffix of a batch name added by retries. */
const RETRIED = /-retry-\d+(-[0-9a-f]+)?$/;
const OUTCOMES = ['accepted', 'rejected', 'retryable', 'expired', 'cancelled'] as const;

const DERIVED: Readonly<Record<string, FailureClass>> = {
  invalid_token: 'device_terminal',
  unregistered: 'device_terminal',
  not_registered: 'device_terminal',
  expired_channel: 'device_terminal',
  quota: 'provider_quota',
  unavailable: 'provider_transient',
  auth_failure: 'credential_auth',
  invalid_payload: 'caller_payload',
  network_transport: 'network_transport',
  device_transient: 'device_transient',
};

/**
 * Applies a delivery status reported by an external service; repeats of the same event have no effect. It is
 * forwarded before it is stored: one that could not be forwarded is applied when it is reported again.
 */
export async function ingestStatus(
  parts: PushParts,
  outbox: Outbox,
  appId: string,
  value: unknown,
): Promise<JsonObject> {
  const { store } = parts;
  const body = wholeObject(value);
  const publishId = neededText(body, 'publishId', 255);
  const eventId = neededText(body, 'eventId', 512);
  const occurredMs = integerOf(body, 'occurredAtMs', 0);
  if (occurredMs === undefined) throw invalid('occurredAtMs is required');
  const result = objectOf(body, 'result');
  if (result === undefined) throw invalid('result is required');
  const provider = typeof result['provider'] === 'string' ? providerNamed(result['provider']) : null;
  if (provider === null) throw invalid(`provider is not known; it must be one of ${CLOUDS.join(', ')}`);
  const outcome = wordOf(result, 'outcome', OUTCOMES);
  const attempt = integerOf(result, 'attempt', 1);
  if (attempt === undefined) throw invalid('attempt is required');
  if ((result['publishId'] ?? publishId) !== publishId)
    throw invalid('publishId of the result must be that of the event');
  const deviceId = textOf(result, 'deviceId', { maxBytes: 255, notBlank: true }) ?? null;
  const batchId = textOf(result, 'batchId', { maxBytes: 255, notBlank: true }) ?? null;
  const error = objectOf(result, 'error');
  const failure = error === undefined ? null : readError(error);
  const answer = { ...body, appId };
  if (await store.hasEvent(appId, publishId, eventId)) return answer;
  await apply(parts, outbox, { appId, publishId, eventId, provider, outcome, deviceId, batchId, failure });
  await store.putEvent({
    appId,
    publishId,
    eventId,
    occurredMs,
    provider,
    outcome,
    result: JSON.stringify({ deviceId, attempt, failureClass: failure?.failureClass ?? null }),
  });
  return answer;
}

interface Told {
  readonly appId: string;
  readonly publishId: string;
  readonly eventId: string;
  readonly provider: Provider;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly deviceId: string | null;
  readonly batchId: string | null;
  readonly failure: {
    readonly errorClass: string;
    readonly failureClass: FailureClass;
    readonly reason: string | null;
    readonly retryAtMs: number | null;
  } | null;
}

/** Ignores an event about an unknown delivery. */
async function apply({ store }: PushParts, outbox: Outbox, told: Told): Promise<void> {
  const { appId, publishId, eventId, provider, outcome, deviceId, failure } = told;
  const claim = await claimOf(store, told);
  const device = deviceId === null ? null : await store.device(appId, deviceId);
  const log = await store.log(appId, publishId);
  if (log === null || claim === null) return;
  const rendered = (JSON.parse(log.rendered) as { provider: string; payload: JsonObject }[]).find(
    (one) => one.provider === provider,
  );
  await outbox.hand([
    {
      stage: 'results',
      key: `${appId}:${publishId}:${provider}:told:${eventId}`,
      partitionKey: appId,
      payload: {
        kind: 'deliveryFeedback',
        appId,
        publishId,
        provider,
        batchId: `told-${sha256(eventId).slice(0, 16)}`,
        outcome,
        told: true,
        ...failure,
        // It was sent to an earlier token, so its result says nothing about the device.
        tokenHash: device !== null && wasSentTo(device, claim) ? device.tokenHash : null,
        expiresAtMs: log.expiresAtMs,
        rendered: rendered?.payload ?? {},
        job: {
          deliveryKey: claim.deliveryKey,
          attempt: claim.attempt,
          firstAttemptAtMs: null,
          deviceId,
          recipient: null,
          audience: null,
        },
      },
    },
  ]);
}

const wasSentTo = (device: StoredDevice, { appId, publishId, provider, deliveryKey }: Claim): boolean =>
  deliveryKeyOf(appId, publishId, provider, device.tokenHash) === deliveryKey;

/** Returns the matching delivery; null: none or ambiguous. */
async function claimOf(
  store: PushStore,
  { appId, publishId, provider, deviceId, batchId }: Told,
): Promise<Claim | null> {
  const planned = batchId?.replace(RETRIED, '');
  const which = {
    provider,
    ...(deviceId === null ? {} : { deviceId }),
    ...(deviceId !== null || planned === undefined ? {} : { batchId: planned }),
  };
  const [first = null, other] = await store.claimsLike(appId, publishId, which, 2);
  return deviceId === null && other !== undefined ? null : first;
}

function readError(error: JsonObject): NonNullable<Told['failure']> {
  const errorClass = neededText(error, 'class', 128);
  const reason = textOf(error, 'reason', { maxBytes: 1024 }) ?? null;
  const given = error['failureClass'];
  const named = FAILURE_CLASSES.find((one) => one === given);
  if (given !== undefined && given !== null && named === undefined)
    throw invalid('failureClass is not known');
  const isForeign = reason?.toLowerCase() === 'sender_id_mismatch';
  const derived = isForeign ? 'credential_auth' : (DERIVED[errorClass] ?? 'unknown');
  return {
    errorClass,
    failureClass: named ?? derived,
    reason,
    retryAtMs: integerOf(error, 'retryAfterMs', 0) ?? null,
  };
}
