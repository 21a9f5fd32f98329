import type { App, AppRegistry } from '@carillon/app-registry';
import type { WebhookEventName } from '@carillon/config';
import { pause, type Logger } from '@carillon/runtime';
import { Absences, type AbsenceParts, type AbsenceWatch } from './absence/absences.js';
import { SharedAbsences, type Notices } from './absence/shared-absences.js';
import { ownedEvent } from './batching/owned-event.js';
import type { Batcher } from './batching/batcher.js';
import { PROCESS_CLOCK, type Clock } from './clock.js';
import { legacyTwin, type WebhookEvent } from './events/event.js';
import { wantsEvent } from './events/interest.js';
import type { Attendance, PlaceChange, WebhookEvents } from './port.js';

interface ChannelPlace {
  readonly app: App;
  readonly channel: string;
}

interface MemberPlace extends ChannelPlace {
  readonly userId: string;
}

export interface LiveWebhooksParts {
  readonly batcher: Batcher;
  readonly apps: Pick<AppRegistry, 'peekById' | 'findById'>;
  readonly log: Logger;
  /** Notified states of all processes; null: this is the only one. */
  readonly notices: Notices | null;
  readonly clock?: Clock;
}

const LOOK_MS = 20;
/** Between two looks for the app of a change that the shared store keeps. */
const LOOK_AGAIN_MS = 1000;
const NOBODY: Attendance = {
  isOccupied: () => Promise.resolve(false),
  isPresent: () => Promise.resolve(false),
};

/**
 * Emits events of channels: definite ones immediately, arrivals and departures once settled. The first arrival and
 * last departure over all processes are decided by the caller and reported to one process.
 */
export class LiveWebhooks implements WebhookEvents {
  readonly #channels: AbsenceWatch<ChannelPlace>;
  readonly #members: AbsenceWatch<MemberPlace>;
  #attendance = NOBODY;
  /** Events whose app is being looked for. */
  #looking = 0;
  #isStopped = false;

  constructor(private readonly parts: LiveWebhooksParts) {
    this.#channels = this.#watch<ChannelPlace>({
      keyOf: ({ app, channel }) => JSON.stringify([app.id, channel]),
      isGone: ({ app, channel }) => this.#isNot(app, () => this.#attendance.isOccupied(app.id, channel)),
      tell: ({ app, channel }, what, change) =>
        this.#tell(app, { name: what === 'came' ? 'channel_occupied' : 'channel_vacated', channel }, change),
    });
    this.#members = this.#watch<MemberPlace>({
      keyOf: ({ app, channel, userId }) => JSON.stringify([app.id, channel, userId]),
      isGone: ({ app, channel, userId }) =>
        this.#isNot(app, () => this.#attendance.isPresent(app.id, channel, userId)),
      tell: ({ app, channel, userId }, what, change) => {
        const name = what === 'came' ? 'member_added' : 'member_removed';
        this.#tell(app, { name, channel, user_id: userId }, change);
      },
    });
  }

  wants(app: App, name: WebhookEventName): boolean {
    return wantsEvent(app, name);
  }

  follows(appId: string, what: 'members' | 'occupancy'): boolean {
    const app = this.parts.apps.peekById(appId);
    if (app === undefined) return true;
    return what === 'members' ? wantsMembers(app) : wantsOccupancy(app);
  }

  emit(app: App | string, event: WebhookEvent): void {
    this.#withApp(app, (found) => {
      if (wantsEvent(found, event.name)) this.parts.batcher.add(found, event);
      const twin = legacyTwin(event);
      if (twin !== null && wantsEvent(found, twin.name)) this.parts.batcher.add(found, twin);
    });
  }

  channelOccupied(app: App | string, channel: string, change?: PlaceChange): void {
    this.#with(app, change, (found) => {
      const place = { app: found, channel };
      if (!wantsOccupancy(found) && !this.#channels.has(place)) return false;
      this.#channels.came(place, change);
      return true;
    });
  }

  channelVacated(app: App | string, channel: string, change?: PlaceChange): void {
    this.#with(app, change, (found) => {
      const place = { app: found, channel };
      if (!wantsOccupancy(found) && !this.#channels.has(place)) return false;
      this.#channels.went(place, change);
      return true;
    });
  }

  memberAdded(app: App | string, channel: string, userId: string, change?: PlaceChange): void {
    this.#with(app, change, (found) => {
      const place = { app: found, channel, userId };
      if (!wantsMembers(found) && !this.#members.has(place)) return false;
      this.#members.came(place, change);
      return true;
    });
  }

  memberRemoved(app: App | string, channel: string, userId: string, change?: PlaceChange): void {
    this.#with(app, change, (found) => {
      const place = { app: found, channel, userId };
      if (!wantsMembers(found) && !this.#members.has(place)) return false;
      this.#members.went(place, change);
      return true;
    });
  }

  attend(attendance: Attendance): void {
    if (this.#attendance !== NOBODY) throw new Error('somebody answers for this process already');
    this.#attendance = attendance;
    void this.parts.notices?.begin().catch(() => undefined);
  }

  /** Waits until departures are settled, then until the queue has everything, or until the signal aborts. */
  async flush(signal: AbortSignal): Promise<void> {
    while (this.#channels.size + this.#members.size + this.#looking > 0 && !signal.aborted) {
      // Events emitted meanwhile need not wait for the rest.
      this.parts.batcher.cut();
      await pause(LOOK_MS, signal);
    }
    await this.parts.batcher.flush(signal);
  }

  /** Stops all timers. Unsettled changes remain in the shared store. */
  stop(): void {
    this.#isStopped = true;
    this.#channels.stop();
    this.#members.stop();
  }

  #watch<Place>(decided: AbsenceParts<Place>): AbsenceWatch<Place> {
    const { notices, log, clock = PROCESS_CLOCK } = this.parts;
    if (notices === null) return new Absences(decided, clock);
    const onTrouble = (what: string, error: unknown): void => log.warn('could not be done', { what, error });
    return new SharedAbsences({ ...decided, notices, onTrouble }, clock);
  }

  /** Null: unknown. */
  async #isNot({ id }: App, ask: () => Promise<boolean>): Promise<boolean | null> {
    try {
      return !(await ask());
    } catch (error) {
      this.parts.log.warn('cannot tell who is there', { app_id: id, error, retryable: true });
      return null;
    }
  }

  #tell(app: App, event: WebhookEvent, change: PlaceChange): void {
    if (wantsEvent(app, event.name)) this.parts.batcher.add(app, event, ownedEvent(app, event, change));
    else change.settle?.();
  }

  /** Passes a change on, unless the app is gone or does not follow it. */
  #with(app: App | string, change: PlaceChange | undefined, follow: (app: App) => boolean): void {
    const then = (found: App): void => {
      if (!follow(found)) change?.settle?.();
    };
    this.#withApp(app, then, change?.settle);
  }

  /** `settle`: called if there is no such app. With it, the app is looked for until that is known. */
  #withApp(app: App | string, then: (app: App) => void, settle?: () => void): void {
    const known = typeof app === 'string' ? this.parts.apps.peekById(app) : app;
    if (known !== undefined) then(known);
    else if (typeof app === 'string') void this.#look(app, then, settle);
  }

  async #look(appId: string, then: (app: App) => void, settle?: () => void): Promise<void> {
    this.#looking += 1;
    try {
      const app = await this.parts.apps.findById(appId);
      if (app === null) settle?.();
      else then(app);
    } catch (error) {
      this.parts.log.warn('app of a webhook event not found', { app_id: appId, error });
      if (settle !== undefined) this.#lookAgain(appId, then, settle);
    } finally {
      this.#looking -= 1;
    }
  }

  #lookAgain(appId: string, then: (app: App) => void, settle: () => void): void {
    const { clock = PROCESS_CLOCK } = this.parts;
    clock.after(LOOK_AGAIN_MS, () => {
      if (!this.#isStopped) void this.#look(appId, then, settle);
    });
  }
}

/** An app with one of two opposite events needs both tracked: they alternate per place. */
const wantsOccupancy = (app: App): boolean =>
  wantsEvent(app, 'channel_occupied') || wantsEvent(app, 'channel_vacated');

const wantsMembers = (app: App): boolean =>
  wantsEvent(app, 'member_added') || wantsEvent(app, 'member_removed');
