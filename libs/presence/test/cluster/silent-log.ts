import { Logger } from '@carillon/runtime';

/** A log without output. */
export const silentLog = (): Logger => new Logger('service::presence', 'error', () => undefined);
