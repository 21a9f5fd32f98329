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
  /** What the client calls it. */
  readonly text: string;
  /** The channel, which others of its attachments may be about too. */
  readonly base: string;
  /** Those that it asked for, and those of them that it has. */
  readonly asked: number;
  readonly modes: number;
  readonly params: Readonly<Record<string, string>>;
  /** What messages are told by; null: all are. */
  readonly filter: Expression | null;
  /** Whether it gets its own messages; null: the connection decides. */
  readonly echoes: boolean | null;
  /** What of the past it began with, as a text. */
  readonly rewound: string;
  /** Everything that the client chose by itself as it asked for it last, as a text. */
  readonly wish: string;
}

/** How a connection wants to be spoken to. */
export interface Manner {
  readonly format: WireFormat;
  readonly echoes: boolean;
  /** With frames; else with pings of the WebSocket. */
  readonly beats: boolean;
  /** How long its members outlive it, in milliseconds. */
  readonly remainMs: number;
  /** It said so itself. */
  readonly asksToRemain: boolean;
}

/** A member that a connection has entered. */
export interface OwnMember {
  readonly clientId: string;
  readonly userId: string;
  readonly userInfoText: string;
}

/** What is known of a connection as it is let in. */
interface About {
  readonly principal: Principal;
  readonly manner: Manner;
  /** Hash of the key it may come back with. */
  readonly keyHash: string;
}

/** A connection of an Ably client. */
export class CompatConnection extends Subscriber implements WheelItem<CompatConnection> {
  /** By what the client calls them. */
  readonly attachments = new Map<string, Attachment>();
  /** By channel, then by client id. */
  readonly members = new Map<string, Map<string, OwnMember>>();
  /** The same as `socket`. */
  transport: Pick<Transport, 'keyChanged' | 'ping'> | null = null;
  /** The last publish that was taken on this transport. */
  lastSerial = -1;
  /** It has ended for good, and will not come back. */
  isOver = false;
  /** By then it is known what it was a member as before it came back; null: it has not come back. Never rejects. */
  comingBack: Promise<void> | null = null;
  /** What of the connection itself waits for a client that does not read; null: it always did. */
  control: ControlQueue | null = null;
  /** What it asked for, in order. */
  readonly queue: FrameQueue;
  /** What it is answered for what it published. */
  readonly answers = new Answers();
  /** It is one of the open connections of its app in statistics. */
  isCounted = false;
  /** Counts what it publishes. */
  readonly windows = new Windows();
  /** When it was last told something of its own, as `performance` keeps time. */
  toldMs = performance.now();
  /** It was asked for another token, or is not to be. */
  isAskedForToken = false;
  /** When the last frame was received, on the clock of `performance`; null: none was. */
  receivedMs: number | null = null;
  /** Links of the wheel that it stands on, see `Pulses`. */
  dueTick = 0;
  next: CompatConnection | null = null;
  previous: CompatConnection | null = null;
  principal: Principal;
  readonly manner: Manner;
  /** Hash of the key it may come back with. */
  keyHash: string;
  /** What it was answered, by serial, see `Receipts`. */
  readonly receipts: Map<number, readonly string[]>;
  /** It has come back from elsewhere, and may say again what was answered there. */
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

  /** What all its attachments of a channel let it do; null: it has none. */
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

/** What may wait for a connection while it attaches. */
const HOLDS = { maxFrames: 4096, maxBytes: 64 * 1024 * 1024 };

/** How the hub sees these connections. */
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
