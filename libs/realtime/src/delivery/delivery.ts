import { type ChannelKind, serverToUserId } from '@carillon/channels';
import type { ChannelFact } from '@carillon/protocol';
import type { Told } from '../appends/told.js';
import type { AppHub } from '../apps/app-hub.js';
import type { Hubs } from '../apps/hubs.js';
import { liveGap } from '../channels/live-gap.js';
import type { LocalChannel } from '../channels/local-channel.js';
import { Frames } from '../codec.js';
import type { PatternBook } from '../patterns/pattern-book.js';
import { BY_PATTERN } from '../patterns/placing.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { watchedUser } from '../users/watch-channel.js';
import type { Arrived } from './arrived.js';
import type { Outlet } from './outlet.js';

/** First character of the names that address users instead of subscribers. */
const SPECIAL = 35;

const EPOCH_MS = performance.timeOrigin;

/** Delivers inbound events to the subscribers of this process. */
export class Delivery {
  constructor(
    private readonly hubs: Hubs,
    private readonly outlet: Outlet,
    private readonly patterns: Pick<PatternBook, 'covered' | 'pacing'>,
  ) {}

  /** Returns the number of channel subscribers notified immediately. */
  deliver(event: Arrived): number {
    const hub = this.hubs.find(event.appId);
    if (hub === null) return 0;
    if (event.channel.charCodeAt(0) === SPECIAL) {
      this.#deliverToUsers(hub, event);
      return 0;
    }
    const channel = hub.channels.get(event.channel);
    if (!hub.patterns.areNone && BY_PATTERN.has(event.fact.kind)) {
      return this.#deliverWithPatterns(hub, event, channel);
    }
    if (channel === undefined) return 0;
    const frames = new Frames(event.fact, event.publishedAtMs);
    const receivers = channel.deliver(event.fact, event.exceptSocketId, frames);
    if (receivers === null) return 0;
    if (hub.tap !== null) hub.tap.delivered(event, receivers);
    count(hub, channel.about.kind, receivers, event);
    return receivers;
  }

  /**
   * Live events of a channel up to this serial are permanently lost. Reports the gap once to each subscriber that
   * uses positions, whether it has the channel directly or by a pattern.
   */
  lost(appId: string, name: string, place: { readonly streamId: string; readonly serial: number }): void {
    const hub = this.hubs.find(appId);
    if (hub === null) return;
    const channel = hub.channels.get(name);
    const about = channel?.about ?? this.patterns.covered(hub, name);
    const gap = about === null ? null : liveGap(about, place);
    const frames = gap === null ? null : new Frames(gap);
    channel?.lost(frames);
    if (about === null || frames === null) return;
    const told: Told = { frames, exceptSocketId: null };
    const pacing = hub.pacings.of(name);
    // The pacing has delivered it to direct and pattern subscribers.
    if (pacing === null) hub.patterns.tell(hub, about, told);
    else if (channel === undefined) pacing.take(told);
  }

  #deliverWithPatterns(hub: AppHub, event: Arrived, channel: LocalChannel | undefined): number {
    const { fact, exceptSocketId } = event;
    const about = channel?.about ?? this.patterns.covered(hub, event.channel);
    if (about === null) return 0;
    const told: Told = { frames: new Frames(fact, event.publishedAtMs), exceptSocketId };
    const pacing = this.patterns.pacing(hub, about, fact);
    if (pacing !== null && channel === undefined) {
      const paced = pacing.take(told);
      if (hub.tap !== null) hub.tap.delivered(event, paced);
      count(hub, about.kind, paced, event);
      return 0;
    }
    const receivers = channel === undefined ? 0 : channel.deliver(fact, exceptSocketId, told.frames);
    // A fact that is outdated for the channel is outdated for its pattern subscribers too.
    if (receivers === null) return 0;
    // The pacing has delivered it to direct and pattern subscribers.
    const byPattern = pacing === null ? hub.patterns.tell(hub, about, told) : 0;
    if (hub.tap !== null) hub.tap.delivered(event, receivers + byPattern);
    count(hub, about.kind, receivers + byPattern, event);
    return receivers;
  }

  #deliverToUsers(hub: AppHub, { channel, fact, exceptSocketId }: Arrived): void {
    const isOfWatched = fact.kind === 'user_seen';
    if (isOfWatched && !isNews(hub, channel, fact)) return;
    const frames = new Frames(fact);
    for (const subscriber of audience(hub, channel)) {
      const waits = isOfWatched && hub.newWatchers.has(subscriber);
      if (subscriber.id !== exceptSocketId && !waits) this.outlet.sendOf(subscriber, frames);
    }
  }
}

function count(hub: AppHub, kind: ChannelKind, receivers: number, { publishedAtMs }: Arrived): void {
  const latencyMs = EPOCH_MS + performance.now() - publishedAtMs;
  hub.meters.delivered(kind, receivers, Math.max(0, latencyMs));
}

/** Drops events of users without watchers in this process; no state is stored for them. */
function isNews(hub: AppHub, channel: string, fact: ChannelFact & { readonly kind: 'user_seen' }): boolean {
  const userId = watchedUser(channel);
  return userId !== null && hub.watchers.has(userId) && hub.watched.hear(fact).length > 0;
}

function audience(hub: AppHub, channel: string): readonly Subscriber[] {
  const watched = watchedUser(channel);
  if (watched !== null) return hub.watchers.of(watched);
  const userId = serverToUserId(channel);
  return userId === null ? [] : hub.users.of(userId);
}
