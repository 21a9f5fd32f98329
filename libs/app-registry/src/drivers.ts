import type { AppStore } from './port.js';

type OpenStore = () => Promise<AppStore>;

/** One line a driver; its client library is loaded when it is chosen, and only then. */
const DRIVERS: ReadonlyMap<string, OpenStore> = new Map([
  ['memory', async () => new (await import('./drivers/memory.js')).MemoryAppStore()],
]);

/** Another name the configuration accepts for a driver. */
const ALIASES: ReadonlyMap<string, string> = new Map([['array', 'memory']]);

/** Values of `app_manager.driver` that this build can serve. */
export const APP_MANAGER_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/** A store that is not connected yet. Rejects when this build has no such driver. */
export async function openAppStore(driver: string): Promise<AppStore> {
  const open = DRIVERS.get(ALIASES.get(driver) ?? driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  return open();
}
