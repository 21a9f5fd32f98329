import { Logger } from '@carillon/runtime';

/** A log nobody reads. */
export const silentLog = (): Logger => new Logger('service::presence', 'error', () => undefined);
