import type { WheelItem } from '@carillon/collections';
import type { Principal, WireFormat } from '@carillon/ably-core';
import type { Expression } from '@carillon/filter';
import {
  type AppHub,
  type Codec,
  type ConnectionTraits,
  type Edge,
  type Membership,
  Subscriber,
  type Subscription,
  Windows,
} from '@carillon/realtime';
import { echoOf } from '@carillon/protocol';
import { Answers } from './answers.js';
import type { ControlQueue } from './control-queue.js';
import { FrameQueue } from './frame-queue.js';
import type { Transport } from './transport.js';

/** One view of a channel that a connection is attached to: the channel as it is, or by a name with a qualifier. */
export interface Attachment {
  /** The channel name as the client sent it. */
  readonly text: string;
  /** The base channel, which several attachments can share. */
  readonly base: string;
  /** The requested modes, and the granted ones among them. */
  readonly asked: number;
  readonly modes: number;
  readonly params: Readonly<Record<string, string>>;
  /** The message filter; null: all messages. */
  readonly filter: Expression | null;
  /** Whether it gets its own messages; null: the connection decides. */
  readonly echoes: boolean | null;
  /** The rewind it started with, in text form. */
  readonly rewound: string;
  /** All options of the client's last request, in text form for comparison. */
  readonly wish: string;
}

/** The connection options of a client. */
export interface Manner {
  readonly format: WireFormat;
  readonly echoes: boolean;
  /** With frames; else with pings of the WebSocket. */
  readonly beats: boolean;
  /** The time in milliseconds for which its members remain after a disconnect. */
  readonly remainMs: number;
  /** Whether the client set that time itself. */
  readonly asksToRemain: boolean;
}

/** A member that a connection has entered. */
export interface OwnMember {
  readonly clientId: string;
  readonly userId: string;
  readonly userInfoText: string;
}

/** The properties of a connection at its admission. */
interface About {
  readonly principal: Principal;
  readonly manner: Manner;
  /** The hash of its resume key. */
  readonly keyHash: string;
}

/** A connection of an Ably client. */
export class CompatConnection extends Subscriber implements WheelItem<CompatConnection> {
  /** By the channel name as the client sent it. */
  readonly attachments = new Map<string, Attachment>();
  /** By channel, then by client id. */
  readonly members = new Map<string, Map<string, OwnMember>>();
  /** The same as `socket`. */
  transport: Pick<Transport, 'keyChanged' | 'ping'> | null = null;
  /** The last publish that was taken on this transport. */
  lastSerial = -1;
  /** Whether it has ended permanently and cannot be resumed. */
  isOver = false;
  /** Resolves when the memberships of a resumed connection are restored; null: it was not resumed. Never rejects. */
  comingBack: Promise<void> | null = null;
  /** The control frames queued for a slow client; null: there were none so far. */
  control: ControlQueue | null = null;
  /** Pending requests of the connection, in order. */
  readonly queue: FrameQueue;
  /** Pending ACKs of its publishes. */
  readonly answers = new Answers();
  /** It is one of the open connections of its app in statistics. */
  isCounted = false;
  /** The rate windows of its publishes. */
  readonly windows = new Windows();
  /** The time of the last frame sent to it individually, on the `performance` clock. */
  toldMs = performance.now();
  /** Whether a new token was already requested, or is not to be requested. */
  isAskedForToken = false;
  /** When the last frame was received, on the clock of `performance`; null: none was. */
  receivedMs: number | null = null;
  /** Its links in the timer wheel, see `Pulses`. */
  dueTick = 0;
  next: CompatConnection | null = null;
  previous: CompatConnection | null = null;
  principal: Principal;
  readonly manner: Manner;
  /** The hash of its resume key. */
  keyHash: string;
  /** The serials of its acknowledged publishes by msgSerial, see `Receipts`. */
  readonly receipts: Map<number, readonly string[]>;
  /** Whether it was resumed from another node and may resend publishes acknowledged there. */
  mayRepeat = false;

  constructor(
    id: string,
    hub: AppHub,
    edge: Edge,
    codec: Codec,
    { principal, manner, keyHash }: About,
    receipts: Map<number, readonly string[]> = new Map(),
  ) {
    super(id, hub, edge, codec);
    this.principal = principal;
    this.manner = manner;
    this.keyHash = keyHash;
    this.queue = new FrameQueue(this);
    this.receipts = receipts;
  }

  override get traits(): ConnectionTraits {
    return {
      protocol: 'ably',
      format: this.manner.format,
      userId: this.principal.clientId,
      lastReceivedMs: this.receivedMs,
      tokenExpiresAtMs: this.principal.expiresMs,
    };
  }

  override memberIds({ channel }: Subscription): readonly string[] {
    return [...(this.members.get(channel.name)?.values() ?? [])].map(({ userId }) => userId);
  }

  /** Returns the union of the modes of its attachments of a channel; null if it has none. */
  modesOn(channel: string): number | null {
    let all: number | null = null;
    for (const { base, modes } of this.attachments.values()) if (base === channel) all = (all ?? 0) | modes;
    return all;
  }

  /** Everything that it is a member as. */
  memberships(): readonly Membership[] {
    return [...this.members].flatMap(([channel, members]) =>
      [...members.values()].map(({ userId, userInfoText }) => ({ channel, userId, userInfoText })),
    );
  }
}

/** Limits of the live events held back while a connection attaches. */
const HOLDS = { maxFrames: 4096, maxBytes: 64 * 1024 * 1024 };

/** The hub's adapter for Ably connections. */
export const compatEdge = (
  leaseMs: number,
  on: {
    readonly lost: (connection: CompatConnection, text: string) => void;
    readonly removed: (connection: CompatConnection, channel: string) => Promise<void>;
  },
): Edge => ({
  protocol: 'compat',
  leaseMs,
  tellsPositions: true,
  holds: HOLDS,
  lost: (subscriber, channel, view = channel) => {
    if (subscriber instanceof CompatConnection) on.lost(subscriber, view);
  },
  remove: async (subscriber, channel) => {
    if (subscriber instanceof CompatConnection) await on.removed(subscriber, channel);
  },
  echoes: (sender, message, view = message.channel) => {
    const own = echoOf(message);
    if (own !== null || !(sender instanceof CompatConnection)) return own === true;
    return sender.attachments.get(view)?.echoes ?? sender.manner.echoes;
  },
});
