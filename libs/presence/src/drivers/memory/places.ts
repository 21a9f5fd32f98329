import type { PresencePlace } from '../../port.js';
import { Roster } from './roster.js';

/** Non-empty places. */
export class Places {
  readonly #byApp = new Map<string, Map<string, Roster>>();

  /** Undefined if the place is empty. */
  find({ appId, channel }: PresencePlace): Roster | undefined {
    return this.#byApp.get(appId)?.get(channel);
  }

  /** Adds an empty place for its first user. */
  add({ appId, channel }: PresencePlace): Roster {
    const roster = new Roster();
    const channels = this.#byApp.get(appId);
    if (channels === undefined) this.#byApp.set(appId, new Map([[channel, roster]]));
    else channels.set(channel, roster);
    return roster;
  }

  removeIfEmpty({ appId, channel }: PresencePlace): void {
    const channels = this.#byApp.get(appId);
    if (channels?.get(channel)?.size !== 0) return;
    channels.delete(channel);
    if (channels.size === 0) this.#byApp.delete(appId);
  }

  clear(): void {
    this.#byApp.clear();
  }
}
