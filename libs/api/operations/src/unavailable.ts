import { ServiceError } from '@carillon/errors';

/** Waits for a part of the service; whatever goes wrong there is 503 with this text, retryable, cause in the log. */
export async function orUnavailable<Value>(text: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : new ServiceError('service_unavailable', { text, cause });
  }
}
