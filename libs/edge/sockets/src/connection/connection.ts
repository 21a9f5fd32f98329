import type { ErrorCode } from '@carillon/errors';
import type { Socket } from '@carillon/uws';
import type { Arrival } from '../entrance/arrival.js';
import type { AppHub } from '../hub/app-hub.js';
import type { LocalChannel, Subscription } from '../hub/local-channel.js';
import type { SlowLane } from '../delivery/slow-lane.js';
import type { Windows } from '../time/windows.js';
import type { Identity } from '../users/identity.js';
import type { Opening } from '../requests/in-turn.js';
import { Subscriptions } from './subscriptions.js';

/**
 * One admitted connection: everything the process remembers of it. There is one per open socket, so members are
 * plain values or shared objects; what most connections never need is null until they do.
 */
export class Connection {
  /** Set when the socket opens, before anything can reach the connection. */
  socket: Socket<Arrival> | null = null;
  readonly subscriptions = new Subscriptions();
  /** The tick of the last inbound frame. */
  activeTick = 0;
  /** A heartbeat was sent at this tick and nothing has come since; 0: none is outstanding. */
  probedTick = 0;
  /** Signed in, token-authenticated or subscribed to a channel that needs a signature. */
  isAuthorized = false;
  /** It is counted among the connections that its app has on all processes. */
  holdsPlace = false;
  /** Why the service ended the connection; null while it has not. */
  endedFor: ErrorCode | null = null;
  /** What the connection closed with, 1006 without a close frame; 0: it has not. */
  closedWith = 0;

  /** Whom it is signed in as; null: nobody. */
  identity: Identity | null = null;
  /** The user id of the first presence channel it joined; null: none yet. */
  presenceUserId: string | null = null;
  /** What waits because the client does not read fast enough; null: it does. */
  lane: SlowLane | null = null;
  /** Counts of its rate limits; null: nothing has been counted. */
  windows: Windows | null = null;
  /** Requests that wait for another process; null: none. */
  openings: Map<string, Opening> | null = null;

  /** Links of the timer wheel, see `Wheel`. */
  dueTick = 0;
  next: Connection | null = null;
  previous: Connection | null = null;

  constructor(
    readonly id: string,
    public hub: AppHub,
    readonly connectedTick: number,
  ) {
    this.activeTick = connectedTick;
  }

  /** False from the moment its end is decided, whoever decided it. */
  get isOpen(): boolean {
    return this.endedFor === null && this.socket !== null && this.socket.isOpen;
  }

  /** Who it speaks for: signed in beats the first presence channel. Null: nobody. */
  get userId(): string | null {
    return this.identity?.userId ?? this.presenceUserId;
  }

  subscriptionOf(channel: LocalChannel): Subscription | undefined {
    return this.subscriptions.get(channel.name);
  }
}
