import { serverToUserId } from '@carillon/channels';
import type { LiveEvent, Standing } from '@carillon/fabric';
import type { AppHub } from '../hub/app-hub.js';
import type { Hubs } from '../hub/hubs.js';
import { watchedUser } from '../users/watchlists.js';
import type { Connection } from '../connection/connection.js';
import type { Outlet } from './outlet.js';

/** First character of the names that address users instead of subscribers. */
const SPECIAL = 35;

const EPOCH_MS = performance.timeOrigin;

/** Hands events that arrive from anywhere to whom they concern in this process. */
export class Delivery {
  constructor(
    private readonly hubs: Hubs,
    private readonly outlet: Outlet,
  ) {}

  deliver(event: LiveEvent): void {
    const hub = this.hubs.find(event.appId);
    if (hub === null) return;
    if (event.channel.charCodeAt(0) === SPECIAL) return this.#deliverToUsers(hub, event);
    const channel = hub.channels.get(event.channel);
    if (channel === undefined) return;
    const receivers = channel.deliver(event);
    if (receivers === null) return;
    const latencyMs = EPOCH_MS + performance.now() - event.publishedAtMs;
    hub.meters.delivered(channel.about.kind, receivers, Math.max(0, latencyMs));
  }

  #deliverToUsers(hub: AppHub, { channel, frameText, exceptSocketId, standing }: LiveEvent): void {
    const isWatched = standing !== undefined && standing.userId !== null;
    if (isWatched && !isNewsOf(hub, channel, standing, frameText)) return;
    for (const connection of audience(hub, channel)) {
      const waits = isWatched && hub.newWatchers.has(connection);
      if (connection.id !== exceptSocketId && !waits) this.outlet.sendText(connection, frameText);
    }
  }
}

/** Nothing is remembered of users whom nobody here watches. */
function isNewsOf(hub: AppHub, channel: string, standing: Standing, frameText: string): boolean {
  const userId = watchedUser(channel);
  return userId !== null && hub.watchers.has(userId) && hub.watched.hear(userId, standing, frameText);
}

function audience(hub: AppHub, channel: string): readonly Connection[] {
  const watched = watchedUser(channel);
  if (watched !== null) return hub.watchers.of(watched);
  const userId = serverToUserId(channel);
  return userId === null ? [] : hub.users.of(userId);
}
