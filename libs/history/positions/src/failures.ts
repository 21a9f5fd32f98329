import { ServiceError } from '@carillon/errors';

/** The position store did not answer, is closed or missing: HTTP 503. Whether a serial was assigned is unknown. */
export class ReplayUnavailable extends ServiceError {
  constructor(text = 'The order of the channel cannot be told now, retry', cause?: unknown) {
    super('service_unavailable', { text, cause });
  }
}
