import type { App } from '@carillon/app-registry';
import type { WebhookEventName } from '@carillon/config';
import type { WebhookEvent } from './events/event.js';

/** Occupancy over all processes, supplied by a process with sockets. Rejects if unknown. */
export interface Attendance {
  /** Whether the channel has subscribers. */
  isOccupied(appId: string, channel: string): Promise<boolean>;
  /** Whether the user is in the presence channel. */
  isPresent(appId: string, channel: string, userId: string): Promise<boolean>;
}

/** A change of a place in a process that shares its places with others. */
export interface PlaceChange {
  /** Stated again to a store that had lost it. Absent: it was not stated before. */
  readonly isAgain?: boolean | undefined;
  /** Left unsettled by a process that died. Absent: made by this process. */
  readonly isRecovered?: boolean | undefined;
  /** The later of two changes of one place has the higher serial, in microseconds since 1970. Absent: this process is alone. */
  readonly serial?: number | undefined;
  /** Called when its event is in the queue, or not needed. Absent: the change is not recorded as pending. */
  readonly settle?: (() => void) | undefined;
}

/**
 * Emits webhook events. All methods may be called on the event loop: they never wait or throw, and an app without the
 * event costs a comparison. Events are collected in bounded memory; when it is full, the newest event is dropped and
 * counted.
 * A change recorded by the shared store is settled once its event is in the queue, dropped, or not needed; if the
 * process dies before, another process emits it again with the same event id.
 * Callers emit nothing for meta channels and ephemeral messages.
 */
export interface WebhookEvents {
  /** Whether any receiver of the app lists the event: check before costly preparation. */
  wants(app: App, name: WebhookEventName): boolean;
  /** Whether changes of members, or of the occupancy of channels, have to be passed on. True if the app is not at hand. */
  follows(appId: string, what: 'members' | 'occupancy'): boolean;
  /**
   * Emits a definite event. No-op if no receiver lists it; also emitted under its older name, if listed. Takes the
   * app, here and below, or its id if the app is not at hand.
   */
  emit(app: App | string, event: WebhookEvent): void;
  /** A channel has its first subscriber, over all processes. */
  channelOccupied(app: App | string, channel: string, change?: PlaceChange): void;
  /** A channel lost its last subscriber, over all processes. */
  channelVacated(app: App | string, channel: string, change?: PlaceChange): void;
  /** A user came to a presence channel, over all processes. */
  memberAdded(app: App | string, channel: string, userId: string, change?: PlaceChange): void;
  /** A user is in a presence channel no more, over all processes. */
  memberRemoved(app: App | string, channel: string, userId: string, change?: PlaceChange): void;
  /**
   * Registers the occupancy source of this process; once. Before that, and without sockets, everything is unoccupied.
   */
  attend(attendance: Attendance): void;
}

/** Emits nothing. */
export const NO_WEBHOOKS: WebhookEvents = {
  wants: () => false,
  follows: () => false,
  emit() {},
  channelOccupied: (_app, _channel, change) => change?.settle?.(),
  channelVacated: (_app, _channel, change) => change?.settle?.(),
  memberAdded: (_app, _channel, _userId, change) => change?.settle?.(),
  memberRemoved: (_app, _channel, _userId, change) => change?.settle?.(),
  attend() {},
};
