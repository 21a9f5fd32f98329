import type { App } from '@carillon/app-registry';
import type { WebhookEventName } from '@carillon/config';
import type { WebhookEvent } from './events/event.js';

/** A channel, as far as webhooks need to know it. */
export interface WebhookChannel {
  readonly name: string;
  /** Whether its subscribers are members. */
  readonly traits: { readonly members: boolean };
}

/** What a process with sockets tells when it is asked. */
export interface Attendance {
  /** Subscribers of the channel in this process. */
  subscribers(appId: string, channel: string): number;
  /** Whether the user is in the presence channel, over all processes. Rejects when nobody can tell. */
  isPresent(appId: string, channel: string, userId: string): Promise<boolean>;
}

/**
 * Where other rooms say what happened. Everything may be called on the socket loop: nothing waits, nothing throws, and
 * an app that does not list the event costs a comparison. What is told is collected in bounded memory; when that is
 * full, the newest event is dropped and counted.
 *
 * Callers tell nothing of meta channels and nothing of ephemeral messages.
 */
export interface WebhookEvents {
  /** Whether any receiver of the app lists the event: ask before doing anything costly for it. */
  wants(app: App, name: WebhookEventName): boolean;
  /** Something that is certain. Does nothing when no receiver lists it; also tells it under its older name, if wanted. */
  emit(app: App, event: WebhookEvent): void;
  /** The channel has one subscriber more in this process; `here`: how many that makes. */
  subscribed(app: App, channel: WebhookChannel, here: number): void;
  /** The channel has one subscriber less in this process; `here`: how many are left. */
  unsubscribed(app: App, channel: WebhookChannel, here: number): void;
  /** A user came to a presence channel, over all processes. The app, or its id when nothing else of it is at hand. */
  memberAdded(app: App | string, channel: string, userId: string): void;
  /** A user is in a presence channel no more, over all processes. */
  memberRemoved(app: App | string, channel: string, userId: string): void;
  /** Names who answers for this process; once. Before it, and without sockets, nobody is here. */
  attend(attendance: Attendance): void;
}

/** Tells nobody anything. */
export const NO_WEBHOOKS: WebhookEvents = {
  wants: () => false,
  emit() {},
  subscribed() {},
  unsubscribed() {},
  memberAdded() {},
  memberRemoved() {},
  attend() {},
};
