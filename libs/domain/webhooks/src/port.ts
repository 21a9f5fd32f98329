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

/**
 * Where other rooms say what happened. Everything may be called on the socket loop: nothing waits, nothing throws, and
 * an app that does not list the event costs a comparison. What is told is collected in bounded memory; when that is
 * full, the newest event is dropped and counted.
 *
 * `isAgain`: somebody is said to be there again, to a store that had lost it. What a store that came back empty is told is
 * no news to others.
 *
 * Callers tell nothing of meta channels and nothing of ephemeral messages.
 */
export interface WebhookEvents {
  /** Whether any receiver of the app lists the event: ask before doing anything costly for it. */
  wants(app: App, name: WebhookEventName): boolean;
  /**
   * Something that is certain. Does nothing when no receiver lists it; also tells it under its older name, if wanted.
   * The app, here and below, or its id when nothing else of it is at hand.
   */
  emit(app: App | string, event: WebhookEvent): void;
  /** A channel has its first subscriber, over all processes. */
  channelOccupied(app: App | string, channel: string, isAgain?: boolean): void;
  /** A channel has no subscriber any more, over all processes. */
  channelVacated(app: App | string, channel: string): void;
  /** A user came to a presence channel, over all processes. */
  memberAdded(app: App | string, channel: string, userId: string, isAgain?: boolean): void;
  /** A user is in a presence channel no more, over all processes. */
  memberRemoved(app: App | string, channel: string, userId: string): void;
  /** Names who answers for this process; once. Before it, and without sockets, nobody is here. */
  attend(attendance: Attendance): void;
}

/** Tells nobody anything. */
export const NO_WEBHOOKS: WebhookEvents = {
  wants: () => false,
  emit() {},
  channelOccupied() {},
  channelVacated() {},
  memberAdded() {},
  memberRemoved() {},
  attend() {},
};
