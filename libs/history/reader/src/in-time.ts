import { ServiceError } from '@carillon/errors';
import { bounded } from '@carillon/runtime';

/** Reads within a timeout; all other failures become `service_unavailable`. */
export async function inTime<Body>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Body>,
): Promise<Body> {
  const outcome = await bounded(timeoutMs, work);
  if (outcome.kind === 'done') return outcome.value;
  if (outcome.kind === 'timeout') throw unavailable('the history did not answer in time');
  if (outcome.error instanceof ServiceError) throw outcome.error;
  throw new ServiceError('service_unavailable', { cause: outcome.error });
}

export const unavailable = (text: string): ServiceError => new ServiceError('service_unavailable', { text });
