import type { App } from '@carillon/app-registry';
import type { WebhookEventName } from '@carillon/config';
import type { WebhookEvent } from './events/event.js';

/** What a process with sockets tells when it is asked, over all processes. Rejects when nobody can tell. */
export interface Attendance {
  /** Whether anybody is subscribed to the channel. */
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
  /** Called when its event is in the queue, or there is none to send. Absent: nothing is kept of the change. */
  readonly settle?: (() => void) | undefined;
}

/**
 * Where other rooms say what happened. Everything may be called on the socket loop: nothing waits, nothing throws, and
 * an app that does not list the event costs a comparison. What is told is collected in bounded memory; when that is
 * full, the newest event is dropped and counted.
 *
 * A change that the shared store keeps until it is settled is settled once its event is in the queue, or dropped, or not
 * needed; a process that dies before leaves it to another one, which passes it on again. Its event has the same id then.
 *
 * Callers tell nothing of meta channels and nothing of ephemeral messages.
 */
export interface WebhookEvents {
  /** Whether any receiver of the app lists the event: ask before doing anything costly for it. */
  wants(app: App, name: WebhookEventName): boolean;
  /** Whether changes of members, or of the occupancy of channels, have to be passed on. True if the app is not at hand. */
  follows(appId: string, what: 'members' | 'occupancy'): boolean;
  /**
   * Something that is certain. Does nothing when no receiver lists it; also tells it under its older name, if wanted.
   * The app, here and below, or its id when nothing else of it is at hand.
   */
  emit(app: App | string, event: WebhookEvent): void;
  /** A channel has its first subscriber, over all processes. */
  channelOccupied(app: App | string, channel: string, change?: PlaceChange): void;
  /** A channel has no subscriber any more, over all processes. */
  channelVacated(app: App | string, channel: string, change?: PlaceChange): void;
  /** A user came to a presence channel, over all processes. */
  memberAdded(app: App | string, channel: string, userId: string, change?: PlaceChange): void;
  /** A user is in a presence channel no more, over all processes. */
  memberRemoved(app: App | string, channel: string, userId: string, change?: PlaceChange): void;
  /** Names who answers for this process; once. Before it, and without sockets, nobody is here. */
  attend(attendance: Attendance): void;
}

/** Tells nobody anything. */
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
