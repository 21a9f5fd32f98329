import { ServiceError } from '@carillon/errors';

/** The store of positions did not answer, is closed, or is none: HTTP 503. Whether a serial was taken is unknown. */
export class ReplayUnavailable extends ServiceError {
  constructor(text = 'The order of the channel cannot be told now, retry', cause?: unknown) {
    super('service_unavailable', { text, cause });
  }
}
