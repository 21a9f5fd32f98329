import type { ErrorCode } from '@carillon/errors';
import type { AttachPoint } from '@carillon/protocol';
import type { Socket } from '@carillon/uws';
import type { AppHub } from '../apps/app-hub.js';
import type { Subscription } from '../channels/audience.js';
import type { LocalChannel } from '../channels/local-channel.js';
import { viewsOf } from '../channels/views.js';
import type { Codec } from '../codec.js';
import type { SlowLane } from '../delivery/slow-lane.js';
import type { Edge } from '../edge.js';
import type { Topic } from '../channels/topic.js';
import type { LocalPattern } from '../patterns/local-pattern.js';
import type { Identity } from '../users/identity.js';
import type { Openings } from './in-turn.js';
import { Subscriptions } from './subscriptions.js';

/**
 * The part of a socket that a hub uses. `isDirect`: native topics do not reach it, so each frame is sent to it
 * individually.
 */
export type SubscriberSocket = Pick<
  Socket<unknown>,
  | 'bufferedBytes'
  | 'cork'
  | 'end'
  | 'isOpen'
  | 'isSubscribed'
  | 'publish'
  | 'send'
  | 'subscribe'
  | 'terminate'
  | 'unsubscribe'
> &
  Partial<Pick<Socket<unknown>, 'remoteAddress'>> & { readonly isDirect?: boolean };

/** Address and network origin of a client. */
export interface ClientOrigin {
  /** Address reported by trusted proxies; null: the address of the socket applies. */
  readonly address: string | null;
  /** Name and version of the client library; null: not given. */
  readonly client: string | null;
}

const NO_ORIGIN: ClientOrigin = { address: null, client: null };

/** Protocol-dependent part of the description of a connection. */
export interface ConnectionTraits {
  readonly protocol: 'ably' | 'v1' | 'v2';
  readonly format: string;
  /** Signed-in user id or client id; null: neither. */
  readonly userId: string | null;
  /** On the clock of `performance`; null: nothing was received, or unknown. */
  readonly lastReceivedMs: number | null;
  /** Milliseconds since 1970; null: no token, or it does not expire. */
  readonly tokenExpiresAtMs: number | null;
}

/**
 * One admitted connection with all its state in the hub; state of its protocol adapter is in a subclass of the
 * adapter. There is one per open socket, so members are plain values or shared objects; rarely needed ones are null
 * until used.
 */
export class Subscriber {
  /** Set when the socket opens, before anything can reach the subscriber. */
  socket: SubscriberSocket | null = null;
  readonly subscriptions = new Subscriptions();
  /** Its pattern subscriptions, by name; null until the first one. */
  patterns: Map<string, LocalPattern> | null = null;
  /** Number of pending channel and pattern subscriptions; see `claimSlot`. */
  #joining = 0;
  /** Signed in, token-authenticated or subscribed to a channel that needs a signature. */
  isAuthorized = false;
  /** Whether it holds a slot of its app's quota over all processes. */
  holdsPlace = false;
  /** Close reason of the service; null: not closed by it. */
  endedFor: ErrorCode | null = null;
  /** Order of admission in this process. */
  acceptSequence = 0;
  /** Time of admission, in whole milliseconds on the clock of `performance`. */
  connectedMs = 0;
  /** Frames received. */
  received = 0;
  /** Frames sent individually, less those that open topics had published before it joined them; see `Topic`. */
  sent = 0;
  origin: ClientOrigin = NO_ORIGIN;
  /** Time of each subscription on the clock of `performance`; null: not recorded. */
  subscribedMs: Map<string, number> | null = null;
  /** Close code of the connection, 1006 without a close frame; 0: still open. */
  closedWith = 0;

  /** Identity it is signed in with; null: not signed in. */
  identity: Identity | null = null;
  /** User id of the first presence channel it joined; null: none yet. */
  presenceUserId: string | null = null;
  /** Queue of frames for a client that does not read fast enough; null: it keeps up. */
  lane: SlowLane | null = null;
  /** Positions at which its subscriptions began, by channel; null: none has a position. */
  attachPoints: Map<string, AttachPoint> | null = null;
  /** Requests that wait for another process; null: none. */
  openings: Openings | null = null;

  constructor(
    readonly id: string,
    public hub: AppHub,
    readonly edge: Edge,
    /** Default codec of its frames; channels may have their own. */
    readonly codec: Codec,
  ) {}

  /** Number of subscribed and pending channels and patterns, each counted once. */
  get slots(): number {
    return this.subscriptions.size + (this.patterns?.size ?? 0) + this.#joining;
  }

  /**
   * Counts a pending channel or pattern. The returned function ends that: call it as soon as the subscription itself
   * counts, or when the join failed; further calls do nothing.
   */
  claimSlot(): () => void {
    let isHeld = true;
    this.#joining += 1;
    return () => {
      if (isHeld) this.#joining -= 1;
      isHeld = false;
    };
  }

  /** False from the moment its close is decided, by whichever side. */
  get isOpen(): boolean {
    return this.endedFor === null && this.socket !== null && this.socket.isOpen;
  }

  /** User id of the connection: the signed-in user, else that of the first presence channel; null: none. */
  get userId(): string | null {
    return this.identity?.userId ?? this.presenceUserId;
  }

  /** Protocol-dependent description; overridden by protocol adapters. */
  get traits(): ConnectionTraits {
    return {
      protocol: this.edge.protocol === 2 ? 'v2' : 'v1',
      format: 'json',
      userId: this.identity?.userId ?? null,
      lastReceivedMs: null,
      tokenExpiresAtMs: null,
    };
  }

  /** User ids of its memberships in a subscribed channel. */
  memberIds({ userId }: Subscription): readonly string[] {
    return userId === null ? [] : [userId];
  }

  /** Address of the client as reported by trusted proxies, else of the socket; null: unknown. */
  get address(): string | null {
    return this.origin.address ?? this.socket?.remoteAddress ?? null;
  }

  /** Number of frames sent to it, including those of native topics. */
  get sentFrames(): number {
    let sent = this.sent;
    for (const topic of this.topics()) sent += topic.toldTo(this);
    return sent;
  }

  /** Unsent bytes, in the native buffer and in the lane of a slow client. */
  get bufferedBytes(): number {
    return (this.socket?.bufferedBytes ?? 0) + (this.lane?.bytes ?? 0);
  }

  /** An operator removed it from a channel: drops its protocol's state of the subscription. */
  forgetSubscription(_channel: string): void {}

  /** Records the position at which a subscription began; null removes it. */
  attached(channel: string, point: AttachPoint | null): void {
    if (point === null) {
      this.attachPoints?.delete(channel);
      return;
    }
    this.attachPoints ??= new Map();
    this.attachPoints.set(channel, point);
  }

  subscriptionOf(channel: LocalChannel): Subscription | undefined {
    return this.subscriptions.get(channel.name);
  }

  /** All native topics it is subscribed to. */
  *topics(): Iterable<Topic> {
    for (const subscription of this.subscriptions) yield* viewsOf(subscription);
    for (const pattern of this.patterns?.values() ?? []) {
      const topic = pattern.topicOf(this);
      if (topic !== undefined) yield topic;
    }
  }
}
