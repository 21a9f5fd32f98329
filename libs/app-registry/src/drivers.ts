import type { AppStore } from './port.js';

type OpenStore = () => Promise<AppStore>;

/** One line a driver; its client library is loaded when it is chosen, and only then. */
const DRIVERS: Readonly<Record<string, OpenStore>> = {
  memory: async () => new (await import('./drivers/memory.js')).MemoryAppStore(),
};

/** Another name the configuration accepts for a driver. */
const ALIASES: Readonly<Record<string, string>> = { array: 'memory' };

/** Values of `app_manager.driver` that this build can serve. */
export const APP_MANAGER_DRIVERS: readonly string[] = Object.keys(DRIVERS);

/** A store that is not connected yet. Rejects when this build has no such driver. */
export async function openAppStore(driver: string): Promise<AppStore> {
  const name = ALIASES[driver] ?? driver;
  const open = Object.hasOwn(DRIVERS, name) ? DRIVERS[name] : undefined;
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  return open();
}
