import type { OrdinaryChannel } from '@carillon/channels';
import {
  type AppHub,
  type Codec,
  type ConnectionTraits,
  type Outlet,
  Subscriber,
  type SubscriberSocket,
  type Windows,
} from '@carillon/realtime';
import type { Capabilities, CapabilityToken } from '@carillon/auth';
import { TICK_MS } from '../time/tick.js';
import type { Judged, Judges, View } from './judged.js';
import type { OwnRequest, Speech, SubscribeRequest } from './speech.js';

/** The transport of a connection: a WebSocket, or the response of an HTTP stream. */
export interface ConnectionSocket extends SubscriberSocket {
  /** Writes something that a client answers or ignores, so that a broken connection is noticed. */
  ping(): void;
}

/**
 * A subscriber on a connection of this process, with its heartbeat state. Each protocol has a subclass.
 * Protocol-specific behaviour is defined here as methods, so that no other code branches on the protocol.
 */
export abstract class Connection extends Subscriber {
  /** The tick of the last inbound frame. */
  activeTick: number;
  /** The tick of the last unanswered heartbeat; 0: none is outstanding. */
  probedTick = 0;
  /** Counts of its rate limits; null: nothing has been counted. */
  windows: Windows | null = null;
  /** The capability token that counts now; null: none ever did. */
  token: CapabilityToken | null = null;

  /** Links of the timer wheel, see `Wheel`. */
  dueTick = 0;
  next: Connection | null = null;
  previous: Connection | null = null;

  constructor(
    id: string,
    hub: AppHub,
    readonly speech: Speech,
    readonly connectedTick: number,
    codec: Codec = speech.codec,
  ) {
    super(id, hub, speech.edge, codec);
    this.activeTick = connectedTick;
  }

  /** The socket id that signatures of its channels are for. */
  get signedId(): string {
    return this.id;
  }

  override get traits(): ConnectionTraits {
    return {
      protocol: this.edge.protocol === 2 ? 'v2' : 'v1',
      format: this.speech.format,
      userId: this.identity?.userId ?? null,
      // No frame is later than the tick in which it came by more than the length of a tick.
      lastReceivedMs:
        this.received === 0 ? null : this.connectedMs + (this.activeTick - this.connectedTick) * TICK_MS,
      tokenExpiresAtMs: this.token === null ? null : this.token.expiresAt * 1000,
    };
  }

  override forgetSubscription(channel: string): void {
    this.keep(channel, null);
  }

  /** The capabilities granted by its identity or token. */
  abstract readonly capabilities: Capabilities;

  /** Whether AI transport is enabled for this connection. */
  abstract readonly speaksAi: boolean;

  /** Called when the socket is open; frames can be sent from now on. */
  opened(socket: ConnectionSocket): void {
    this.socket = socket;
  }

  /** Sends a heartbeat request to the client. */
  abstract probe(outlet: Outlet): void;

  /** Judges a subscribe in the one order of checks of its protocol. */
  abstract judge(frame: SubscribeRequest, judges: Judges): Judged;

  /**
   * Returns a function that sends everything between `subscribed` and live events (for example rewound messages), or
   * undefined if there is nothing to send. The promise never rejects.
   */
  abstract beforeLive(channel: OrdinaryChannel, codec: Codec): (() => Promise<void>) | undefined;

  /**
   * Sets the view of a channel and releases the previous one. Null means the full channel, or that the channel was
   * unsubscribed.
   */
  abstract keep(channel: string, view: View | null): void;

  /** Whether it receives individual annotation events of a subscribed channel. */
  abstract seesAnnotations(channel: string): boolean;

  /**
   * Handles a request that only its protocol has. Returns undefined if it completed synchronously; the promise never
   * rejects.
   */
  abstract ask(frame: OwnRequest): Promise<void> | undefined;

  /** Called when the connection has closed; releases shared resources. */
  abstract ended(): void;
}
