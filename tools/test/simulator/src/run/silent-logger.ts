import { Logger } from '@carillon/runtime';

/** Log lines of cores are not of interest; their actions are. */
export const silentLogger = (): Logger => new Logger('service::simulator', 'off', () => undefined);
