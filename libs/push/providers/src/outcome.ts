/** What went wrong, in the words that results of deliveries have. */
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

/** Whose fault it is, which decides what follows: for the device, for the breaker, and whether it is tried again. */
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
  /** A word of the provider's documentation, such as `UNREGISTERED`: never text of an answer, which may hold a token. */
  readonly reason: string;
}

/** What became of one send. */
export type SendOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string | null }
  | ({ readonly kind: 'rejected' } & SendFailure)
  | ({
      readonly kind: 'retryable';
      /** Until when the provider wants to be left alone, spread already; null: it did not say. */
      readonly retryAtMs: number | null;
      /** The least wait before another attempt where the provider fixes one without saying when; 0: none. */
      readonly minimumWaitMs: number;
      /** The provider refused this device alone, which says nothing of the next one. */
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
