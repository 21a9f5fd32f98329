import type { App, AppRegistry } from '@carillon/app-registry';
import type { WebhookEventName } from '@carillon/config';
import type { Fabric } from '@carillon/fabric';
import { pause, type Logger } from '@carillon/runtime';
import { Absences } from './absence/absences.js';
import { ClusterCounts } from './absence/cluster-counts.js';
import type { Collector } from './batching/collector.js';
import { PROCESS_CLOCK, type Clock } from './clock.js';
import { legacyTwin, type WebhookEvent } from './events/event.js';
import { wantsEvent } from './events/interest.js';
import type { Attendance, WebhookChannel, WebhookEvents } from './port.js';

interface ChannelPlace {
  readonly app: App;
  readonly channel: string;
}

interface MemberPlace extends ChannelPlace {
  readonly userId: string;
}

export interface LiveWebhooksParts {
  readonly collector: Collector;
  readonly fabric: Pick<Fabric, 'ask'>;
  readonly apps: Pick<AppRegistry, 'peekById' | 'findById'>;
  readonly log: Logger;
  readonly clock?: Clock;
}

const LOOK_MS = 20;
const NOBODY: Attendance = { subscribers: () => 0, isPresent: () => Promise.resolve(false) };

/**
 * Tells what happens in channels of this process: at once what is certain, and who came or went once that is settled
 * over all processes. Two processes that see the first subscriber of a channel at the same moment may both tell it:
 * counting cannot tell them apart. What decides is `cameFirst` and `isGone`, and nothing else.
 */
export class LiveWebhooks implements WebhookEvents {
  readonly #channels: Absences<ChannelPlace>;
  readonly #members: Absences<MemberPlace>;
  readonly #counts: ClusterCounts;
  #attendance = NOBODY;

  constructor(private readonly parts: LiveWebhooksParts) {
    const { fabric, clock = PROCESS_CLOCK } = parts;
    this.#counts = new ClusterCounts({
      fabric,
      here: (appId, channel) => this.#attendance.subscribers(appId, channel),
    });
    this.#channels = new Absences<ChannelPlace>(
      {
        keyOf: ({ app, channel }) => `${app.id} ${channel}`,
        cameFirst: (place) => this.#cameFirst(place),
        isGone: (place) => this.#isEmpty(place),
        tell: ({ app, channel }, what) =>
          this.emit(app, { name: what === 'came' ? 'channel_occupied' : 'channel_vacated', channel }),
      },
      clock,
    );
    this.#members = new Absences<MemberPlace>(
      {
        keyOf: ({ app, channel, userId }) => JSON.stringify([app.id, channel, userId]),
        // Presence decides that over all processes before it says so.
        cameFirst: () => true,
        isGone: (place) => this.#isAbsent(place),
        tell: ({ app, channel, userId }, what) =>
          this.emit(app, {
            name: what === 'came' ? 'member_added' : 'member_removed',
            channel,
            user_id: userId,
          }),
      },
      clock,
    );
  }

  wants(app: App, name: WebhookEventName): boolean {
    return wantsEvent(app, name);
  }

  emit(app: App, event: WebhookEvent): void {
    if (wantsEvent(app, event.name)) this.parts.collector.add(app, event);
    const twin = legacyTwin(event);
    if (twin !== null && wantsEvent(app, twin.name)) this.parts.collector.add(app, twin);
  }

  subscribed(app: App, channel: WebhookChannel, here: number): void {
    this.#tellCount(app, channel, here);
    if (here !== 1) return;
    const place = { app, channel: channel.name };
    if (wantsEvent(app, 'channel_occupied') || this.#channels.has(place)) this.#channels.came(place);
  }

  unsubscribed(app: App, channel: WebhookChannel, here: number): void {
    this.#tellCount(app, channel, here);
    if (here !== 0) return;
    const place = { app, channel: channel.name };
    if (wantsChanges(app, 'channel_occupied', 'channel_vacated') || this.#channels.has(place))
      this.#channels.went(place);
  }

  memberAdded(app: App | string, channel: string, userId: string): void {
    this.#withApp(app, (found) => {
      const place = { app: found, channel, userId };
      if (wantsEvent(found, 'member_added') || this.#members.has(place)) this.#members.came(place);
    });
  }

  memberRemoved(app: App | string, channel: string, userId: string): void {
    this.#withApp(app, (found) => {
      const place = { app: found, channel, userId };
      if (wantsChanges(found, 'member_added', 'member_removed') || this.#members.has(place))
        this.#members.went(place);
    });
  }

  attend(attendance: Attendance): void {
    if (this.#attendance !== NOBODY) throw new Error('somebody answers for this process already');
    this.#attendance = attendance;
  }

  /** Waits until it is settled who has gone, then until the queue has everything, or there is no more time. */
  async flush(signal: AbortSignal): Promise<void> {
    while (this.#channels.size + this.#members.size > 0 && !signal.aborted) {
      // What is told meanwhile need not wait for the rest.
      this.parts.collector.cut();
      await pause(LOOK_MS, signal);
    }
    await this.parts.collector.flush(signal);
  }

  /** Stops every timer. */
  stop(): void {
    this.#channels.stop();
    this.#members.stop();
  }

  #tellCount(app: App, { name: channel, traits }: WebhookChannel, here: number): void {
    if (traits.members || !wantsEvent(app, 'subscription_count')) return;
    void this.#count(app, channel, here);
  }

  async #count(app: App, channel: string, here: number): Promise<void> {
    const counted = await this.#counts.others(app.id, channel);
    const subscription_count = here + (counted?.others ?? 0);
    this.emit(app, { name: 'subscription_count', channel, subscription_count });
  }

  async #cameFirst({ app, channel }: ChannelPlace): Promise<boolean> {
    const counted = await this.#counts.others(app.id, channel);
    return (counted?.others ?? 0) === 0;
  }

  async #isEmpty({ app, channel }: ChannelPlace): Promise<boolean | null> {
    const counted = await this.#counts.others(app.id, channel);
    if (counted === null) return null;
    if (counted.others > 0 || this.#attendance.subscribers(app.id, channel) > 0) return false;
    return counted.isComplete ? true : null;
  }

  async #isAbsent({ app, channel, userId }: MemberPlace): Promise<boolean | null> {
    try {
      return !(await this.#attendance.isPresent(app.id, channel, userId));
    } catch (error) {
      this.parts.log.warn('cannot tell who is present', { app_id: app.id, error, retryable: true });
      return null;
    }
  }

  #withApp(app: App | string, then: (app: App) => void): void {
    const known = typeof app === 'string' ? this.parts.apps.peekById(app) : app;
    if (known !== undefined) then(known);
    else if (typeof app === 'string') void this.#look(app, then);
  }

  async #look(appId: string, then: (app: App) => void): Promise<void> {
    try {
      const app = await this.parts.apps.findById(appId);
      if (app !== null) then(app);
    } catch (error) {
      this.parts.log.warn('app of a webhook event not found', { app_id: appId, error });
    }
  }
}

const wantsChanges = (app: App, came: WebhookEventName, went: WebhookEventName): boolean =>
  wantsEvent(app, came) || wantsEvent(app, went);
