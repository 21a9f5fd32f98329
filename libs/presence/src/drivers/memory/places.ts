import type { PresencePlace } from '../../port.js';
import { Roster } from './roster.js';

/** The places where somebody is, and no others. */
export class Places {
  readonly #byApp = new Map<string, Map<string, Roster>>();

  /** Undefined: nobody is there. */
  find({ appId, channel }: PresencePlace): Roster | undefined {
    return this.#byApp.get(appId)?.get(channel);
  }

  /** For somebody who comes to a place where nobody is. */
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
