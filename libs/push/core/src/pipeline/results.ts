import type { SendOutcome } from '@carillon/push-providers';
import type { Verdict } from './breakers.js';
import type { Feedback } from './payloads.js';

/** Result of one delivery, before it is assigned to its delivery row. */
export type Result = Pick<
  Feedback,
  | 'outcome'
  | 'providerMessageId'
  | 'errorClass'
  | 'failureClass'
  | 'reason'
  | 'retryAtMs'
  | 'minimumWaitMs'
  | 'tokenHash'
>;

export const result = (outcome: Feedback['outcome'], more: Partial<Result> = {}): Result => ({
  outcome,
  providerMessageId: null,
  errorClass: null,
  failureClass: null,
  reason: null,
  retryAtMs: null,
  minimumWaitMs: 0,
  tokenHash: null,
  ...more,
});

/** Failures that are the provider's, the network's or the credential's. */
const OF_PROVIDER: ReadonlySet<string> = new Set([
  'provider_transient',
  'network_transport',
  'credential_auth',
]);

export const NOT_READY = result('rejected', {
  errorClass: 'auth_failure',
  failureClass: 'credential_auth',
  reason: 'credentials are not ready',
});
export const GONE = result('rejected', {
  errorClass: 'dropped',
  failureClass: 'unknown',
  reason: 'device is gone',
});
export const UNREADABLE = result('rejected', {
  errorClass: 'dropped',
  failureClass: 'unknown',
  reason: 'address cannot be read',
});
export const RATE_LIMITED = result('rejected', {
  errorClass: 'device_rate_limited',
  failureClass: 'unknown',
  reason: 'device_rate_limited',
});

/** With whether it is only about the device, or the service its subscription names. */
export type Judged = Result & { readonly deviceOnly?: boolean };

export function resultOf(outcome: SendOutcome): Judged {
  if (outcome.kind === 'accepted')
    return result('accepted', { providerMessageId: outcome.providerMessageId });
  const { errorClass, failureClass, reason } = outcome;
  if (outcome.kind === 'rejected') return result('rejected', { errorClass, failureClass, reason });
  const { retryAtMs, minimumWaitMs, deviceOnly } = outcome;
  return {
    ...result('retryable', { errorClass, failureClass, reason, retryAtMs, minimumWaitMs }),
    deviceOnly,
  };
}

/** Adds the evidence of one result about its provider. */
export function judge(
  verdict: Verdict,
  { outcome, failureClass, retryAtMs, deviceOnly = false }: Judged,
): void {
  if (outcome === 'accepted') verdict.anyAccepted = true;
  if (failureClass === null || deviceOnly) return;
  if (OF_PROVIDER.has(failureClass)) verdict.anyFailure = true;
  if (failureClass === 'provider_quota' && retryAtMs !== null) {
    verdict.quotaUntilMs = Math.max(verdict.quotaUntilMs ?? 0, retryAtMs);
  }
}

/** Whether the provider wants less. */
export const isThrottling = ({ failureClass, deviceOnly = false }: Judged): boolean =>
  failureClass === 'provider_quota' && !deviceOnly;
