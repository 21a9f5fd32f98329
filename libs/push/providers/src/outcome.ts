/** Failure kind, as named in delivery results. */
export type ErrorClass =
  | 'invalid_token'
  | 'invalid_payload'
  | 'auth_failure'
  | 'project_mismatch'
  | 'apns_topic_mismatch'
  | 'quota'
  | 'unavailable'
  | 'network_transport'
  | 'provider_rejected'
  | 'expired'
  | 'device_rate_limited'
  | 'dropped';

/** Cause of a failure, which determines its effect on the device, the breaker and retries. */
export const FAILURE_CLASSES = [
  'device_terminal',
  'device_transient',
  'provider_transient',
  'provider_quota',
  'credential_auth',
  'caller_payload',
  'network_transport',
  'unknown',
] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];

export interface SendFailure {
  readonly errorClass: ErrorClass;
  readonly failureClass: FailureClass;
  /** A documented constant such as `UNREGISTERED`: never response text, which may contain a token. */
  readonly reason: string;
}

/** Outcome of one send. */
export type SendOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string | null }
  | ({ readonly kind: 'rejected' } & SendFailure)
  | ({
      readonly kind: 'retryable';
      /** Retry time requested by the provider, jitter included; null: none. */
      readonly retryAtMs: number | null;
      /** The least wait before another attempt where the provider fixes one without saying when; 0: none. */
      readonly minimumWaitMs: number;
      /** The provider rejected this device only, which says nothing about others. */
      readonly deviceOnly: boolean;
    } & SendFailure);

export const accepted = (providerMessageId: string | null): SendOutcome => ({
  kind: 'accepted',
  providerMessageId,
});

export const rejected = (
  errorClass: ErrorClass,
  failureClass: FailureClass,
  reason: string,
): SendOutcome => ({
  kind: 'rejected',
  errorClass,
  failureClass,
  reason,
});

type Hints = Partial<
  Pick<Extract<SendOutcome, { kind: 'retryable' }>, 'retryAtMs' | 'minimumWaitMs' | 'deviceOnly'>
>;

export const retryable = (
  errorClass: ErrorClass,
  failureClass: FailureClass,
  reason: string,
  { retryAtMs = null, minimumWaitMs = 0, deviceOnly = false }: Hints = {},
): SendOutcome => ({
  kind: 'retryable',
  errorClass,
  failureClass,
  reason,
  retryAtMs,
  minimumWaitMs,
  deviceOnly,
});
