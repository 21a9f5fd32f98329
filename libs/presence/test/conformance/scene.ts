import type { Presence, PresencePlace } from '../../src/index.js';
import { as, LOBBY } from '../samples.js';
import { watched, type OpenWorld, type WatchedWorld } from '../world.js';

/** Joins without a limit; answers the outcome. */
export const join = (presence: Presence, ...user: Parameters<typeof as>) =>
  presence.join(as(...user), Infinity);

/** Places a user in a channel, for `as`. */
export const at = (channel: string) => ({ place: { appId: 'shop', channel } });

/** An empty world for each test, seen from two processes. */
export class Scene {
  #world: WatchedWorld | null = null;

  async open(open: OpenWorld): Promise<void> {
    this.#world = await watched(open);
  }

  get world(): WatchedWorld {
    if (this.#world === null) throw new Error('the scene is not open');
    return this.#world;
  }

  get one(): Presence {
    return this.world.one;
  }

  get other(): Presence {
    return this.world.other;
  }

  /** Returns the members as seen by the other process. */
  async ids(place: PresencePlace = LOBBY): Promise<string[]> {
    return (await this.other.members(place)).map(({ userId }) => userId);
  }
}
