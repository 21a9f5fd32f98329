import type { Principal, WireFormat } from '@carillon/compat-core';
import { type AppHub, type Codec, type Edge, Subscriber } from '@carillon/hub';
import { echoOf } from '@carillon/protocol';

/** One channel that a connection is attached to. */
export interface Attachment {
  /** What the client calls it. */
  readonly text: string;
  readonly modes: number;
}

/** How a connection wants to be spoken to. */
export interface Manner {
  readonly format: WireFormat;
  readonly echoes: boolean;
  /** With frames; else with pings of the WebSocket. */
  readonly beats: boolean;
  /** How long its members outlive it, in milliseconds. */
  readonly remainMs: number;
}

/** A member that a connection has entered. */
export interface OwnMember {
  readonly clientId: string;
  readonly userId: string;
  readonly userInfoText: string;
}

/** A connection of an Ably client. */
export class CompatConnection extends Subscriber {
  readonly attachments = new Map<string, Attachment>();
  /** By channel, then by client id. */
  readonly members = new Map<string, Map<string, OwnMember>>();
  /** The last publish that was answered on this transport. */
  lastSerial = -1;
  /** When something was last sent to it, at least. */
  beatAtMs = 0;
  /** What it was answered before, by serial: the same once more after it has come back. */
  readonly receipts: Map<number, readonly string[]>;

  constructor(
    id: string,
    hub: AppHub,
    edge: Edge,
    codec: Codec,
    public principal: Principal,
    readonly manner: Manner,
    /** Hash of the key it may come back with. */
    public keyHash: string,
    receipts: Map<number, readonly string[]> = new Map(),
  ) {
    super(id, hub, edge, codec);
    this.receipts = receipts;
  }
}

/** How the hub sees these connections. */
export const compatEdge = (leaseMs: number): Edge => ({
  protocol: 'compat',
  leaseMs,
  echoes: (sender, message) =>
    echoOf(message) ?? (sender instanceof CompatConnection && sender.manner.echoes),
});
