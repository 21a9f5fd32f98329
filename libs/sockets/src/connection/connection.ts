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
 * A subscriber on a connection of this process, with what is remembered of its time. Each protocol has a class of it; what
 * connections of one can do and others cannot is in here, so that nobody else asks which protocol a connection speaks.
 */
export abstract class Connection extends Subscriber {
  /** The tick of the last inbound frame. */
  activeTick: number;
  /** A heartbeat was sent at this tick and nothing has come since; 0: none is outstanding. */
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

  /** What it may do as far as its identity says. */
  abstract readonly capabilities: Capabilities;

  /** Whether AI transport is there for it. */
  abstract readonly speaksAi: boolean;

  /** Its socket is open: it may be told things from now on. */
  opened(socket: ConnectionSocket): void {
    this.socket = socket;
  }

  /** Asks the client for a sign of life. */
  abstract probe(outlet: Outlet): void;

  /** Judges a subscribe in the one order of checks of its protocol. */
  abstract judge(frame: SubscribeRequest, judges: Judges): Judged;

  /**
   * What tells it, in what it gets of the channel, everything that comes between `subscribed` and live events; undefined:
   * there is nothing. The promise never rejects.
   */
  abstract beforeLive(channel: OrdinaryChannel, codec: Codec): (() => Promise<void>) | undefined;

  /** What it gets of a channel from now on, which ends what it got before; null: everything, or the channel is left. */
  abstract keep(channel: string, view: View | null): void;

  /** Whether it is told of every single annotation of a channel that it has. */
  abstract seesAnnotations(channel: string): boolean;

  /** Answers what only clients of its protocol ask. Undefined when it was done at once; the promise never rejects. */
  abstract ask(frame: OwnRequest): Promise<void> | undefined;

  /** It is out; what is shared with others is given back. */
  abstract ended(): void;
}
