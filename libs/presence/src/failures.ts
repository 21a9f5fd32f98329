import { ServiceError } from '@carillon/errors';

/** The store cannot be reached, or presence is closed: HTTP 503. A retry may succeed. */
export class PresenceUnavailable extends ServiceError {
  constructor(cause?: unknown) {
    super('service_unavailable', { text: 'Presence is not available, retry', cause });
  }
}
