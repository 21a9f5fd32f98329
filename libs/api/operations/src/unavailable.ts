import { ServiceError } from '@carillon/errors';

/** Awaits a dependency; every failure becomes a retryable 503 with this text, with the cause in the log. */
export async function orUnavailable<Value>(text: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : new ServiceError('service_unavailable', { text, cause });
  }
}
