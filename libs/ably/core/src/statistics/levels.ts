import { type Entries, peakOf } from './entries.js';

/** Gauges per app. */
export type LevelName = 'channels' | 'connections';

/** The current gauge values of each app in this process. */
export class Levels {
  readonly #apps = new Map<string, Map<LevelName, number>>();

  /** Returns how many there are now. */
  change(appId: string, name: LevelName, by: 1 | -1): number {
    let levels = this.#apps.get(appId);
    if (levels === undefined) this.#apps.set(appId, (levels = new Map()));
    const level = Math.max(0, (levels.get(name) ?? 0) + by);
    if (level > 0) levels.set(name, level);
    else levels.delete(name);
    if (levels.size === 0) this.#apps.delete(appId);
    return level;
  }

  /** Apps that have anything. */
  get appIds(): readonly string[] {
    return [...this.#apps.keys()];
  }

  /** Returns the current values of an app, by the names of their peaks. */
  now(appId: string, kinds: Readonly<Record<LevelName, readonly string[]>>): Entries {
    const now: Record<string, number> = {};
    for (const [name, level] of this.#apps.get(appId) ?? [])
      for (const kind of kinds[name]) now[peakOf(kind)] = level;
    return now;
  }
}
