/** Class of a failed attempt, for operators; never text of the receiver. */
export type WebhookFailure = 'connect' | 'redirect' | 'refused_address' | 'status' | 'timeout' | 'tls';

/** The status in the reason of a failed attempt; null: there was no answer. */
export function statusOf(reason: string): number | null {
  const [, status] = /^status (\d{3})$/.exec(reason) ?? [];
  return status === undefined ? null : Number(status);
}

/** The class of a reason of a failed attempt. */
export function failureOf(reason: string): WebhookFailure {
  const status = statusOf(reason);
  if (status !== null) return status >= 300 && status < 400 ? 'redirect' : 'status';
  if (reason === 'timeout') return 'timeout';
  if (reason === 'target not allowed') return 'refused_address';
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason) ? 'tls' : 'connect';
}
