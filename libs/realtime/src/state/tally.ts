import type { AppRegistry } from '@carillon/app-registry';
import { CHANNEL_KINDS, kindOf, metaBase } from '@carillon/channels';
import type { ChannelCountChange, ChannelCounts } from '@carillon/presence';
import type { WebhookEvents } from '@carillon/webhooks';
import type { MetaWatch } from '../meta/meta-watch.js';
import { type OwedChanges, placeChange } from './owed-changes.js';
import type { SubscriptionCounts } from './subscription-counts.js';
import { rulesOf } from '../apps/app-rules.js';
import type { Hubs } from '../apps/hubs.js';
import type { LocalChannel } from '../channels/local-channel.js';

/** Dependencies of `Tally`. */
export interface TallyParts {
  readonly hubs: Hubs;
  readonly apps: Pick<AppRegistry, 'findById' | 'peekById'>;
  readonly counts: ChannelCounts;
  readonly subscriptionCounts: SubscriptionCounts;
  readonly metaWatch: MetaWatch;
  readonly webhooks: WebhookEvents;
  readonly owed: OwedChanges;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Counts the subscribers of channels over all processes, in apps that enable it, and passes on changes. A channel is
 * counted for as long as this process has it, so that the count that others hold for this process is withdrawn.
 */
export class Tally {
  /** Channels that existed before counting was enabled and are counted for the first time. */
  readonly #beginning = new Set<string>();

  constructor(private readonly parts: TallyParts) {
    parts.counts.observe((change) => this.#counted(change), parts.owed);
    parts.metaWatch.onBegin = (appId, channel) => void this.#begin(appId, channel);
  }

  /** The existing count of a channel is no change for those notified from now on. */
  async #begin(appId: string, name: string): Promise<void> {
    const channel = this.parts.hubs.find(appId)?.channels.get(name);
    if (channel === undefined || channel.isCounted || channel.count === 0) return;
    channel.isCounted = true;
    const key = `${appId} ${name}`;
    this.#beginning.add(key);
    await this.#set(channel, false);
    this.#beginning.delete(key);
  }

  /** The number of subscribers in this process changed. */
  changed(channel: LocalChannel): void {
    const { hub, about } = channel;
    if (metaBase(channel.name) !== null) return;
    const { webhooks } = this.parts;
    const tellsEach = !about.traits.members && webhooks.wants(hub.app, 'subscription_count');
    channel.isCounted ||= tellsEach || this.#isWanted(channel);
    if (channel.isCounted) void this.#set(channel, tellsEach);
  }

  #isWanted({ hub, about, name }: LocalChannel): boolean {
    if (this.parts.metaWatch.has(hub.appId, name)) return true;
    if (hub.rules.subscriptionCounts && !about.traits.members) return true;
    const { webhooks } = this.parts;
    return webhooks.wants(hub.app, 'channel_occupied') || webhooks.wants(hub.app, 'channel_vacated');
  }

  async #set({ hub, name, count }: LocalChannel, tellsEach: boolean): Promise<void> {
    const { counts, webhooks, onTrouble } = this.parts;
    const { app } = hub;
    try {
      const subscription_count = await counts.set(app.id, name, count);
      if (tellsEach) webhooks.emit(app, { name: 'subscription_count', channel: name, subscription_count });
    } catch (error) {
      onTrouble('subscription counts', error);
    }
  }

  /** The app may have no state here: the change may result from a crashed process. */
  #counted(change: ChannelCountChange): void {
    const { kind, appId, channel, count, serial } = change;
    const { hubs, webhooks, metaWatch } = this.parts;
    const app = hubs.find(appId)?.app ?? appId;
    if (!this.#beginning.has(`${appId} ${channel}`)) {
      if (kind === 'occupied')
        metaWatch.announce(appId, channel, { kind: 'channel_occupied', channel, serial });
      if (count > 0) metaWatch.announce(appId, channel, { kind: 'channel_counted', channel, count, serial });
      else metaWatch.announce(appId, channel, { kind: 'channel_vacated', channel, serial });
    }
    if (kind === 'occupied') webhooks.channelOccupied(app, channel, placeChange(change));
    else if (kind === 'vacated') webhooks.channelVacated(app, channel, placeChange(change));
    if (count > 0 && !CHANNEL_KINDS[kindOf(channel)].members) void this.#tell(appId, channel);
  }

  #tell(appId: string, channel: string): Promise<void> | undefined {
    const { hubs, apps, subscriptionCounts } = this.parts;
    const app = hubs.find(appId)?.app ?? apps.peekById(appId);
    if (app === undefined) return this.#tellLater(appId, channel);
    if (rulesOf(app).subscriptionCounts) subscriptionCounts.changed(appId, channel);
    return undefined;
  }

  async #tellLater(appId: string, channel: string): Promise<void> {
    const { apps, subscriptionCounts, onTrouble } = this.parts;
    try {
      const app = await apps.findById(appId);
      if (app !== null && rulesOf(app).subscriptionCounts) subscriptionCounts.changed(appId, channel);
    } catch (error) {
      onTrouble('app of a channel that is counted', error);
    }
  }
}
