import type { AvailableDrivers } from '@carillon/config';

/**
 * What every build can do of the ports that no room has other drivers of yet. Of those that have a room, each app that
 * composes it names the drivers; in the others, which share the configuration, the setting is not used.
 */
export const IN_PROCESS_DRIVERS: AvailableDrivers = {};
