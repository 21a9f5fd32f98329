import { unreachable } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { timeoutMs, withDeadline } from './deadline.js';
import { networkReason } from './request-errors.js';

export interface Probe {
  readonly status: number;
  readonly body: string;
  /** Date of the service's clock in milliseconds; null: not told. */
  readonly dateMs: number | null;
  /** Null: the service does not tell its version. */
  readonly version: string | null;
}

const MAX_BODY = 65_536;

/** Requests `/up` of the service at `--url`. */
export async function probe(invocation: Invocation): Promise<Probe> {
  const { url } = await invocation.connection();
  const { origin } = new URL(url);
  return withDeadline(invocation, url, timeoutMs(invocation), async (signal) => {
    try {
      const response = await fetch(`${origin}/up?verbose`, { signal, redirect: 'manual' });
      const dateMs = Date.parse(response.headers.get('Date') ?? '');
      return {
        status: response.status,
        body: (await response.text()).slice(0, MAX_BODY),
        dateMs: Number.isNaN(dateMs) ? null : dateMs,
        version: response.headers.get('X-Service-Version'),
      };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw unreachable(url, networkReason(error), error);
    }
  });
}
