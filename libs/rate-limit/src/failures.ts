import { ServiceError } from '@carillon/errors';

/** The store that counts did not answer or is closed: HTTP 503, never "allowed". */
export class RateLimitUnavailable extends ServiceError {
  constructor(text = 'The rate limiter is unavailable, retry', cause?: unknown) {
    super('service_unavailable', { text, cause });
  }
}
