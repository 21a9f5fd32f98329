import type { AvailableDrivers } from '@carillon/config';

/**
 * Drivers of every build for ports without a package. For the others, each app names the drivers it composes; apps
 * without the port ignore the setting.
 */
export const IN_PROCESS_DRIVERS: AvailableDrivers = {};
