import { encodeWire } from '@carillon/compat-core';
import type { Hub } from '@carillon/hub';
import type { LeaveCause, Presence } from '@carillon/presence';
import type { CompatConnection } from './connection.js';
import type { Counted } from './counted.js';

/** What both attaching and presence do to connections. */
export class Said {
  constructor(
    private readonly hub: Hub,
    private readonly presence: Presence,
    private readonly counted: Pick<Counted, 'said'>,
  ) {}

  /** Sends one frame. */
  say(connection: CompatConnection, frame: object): void {
    this.counted.said();
    connection.toldMs = performance.now();
    this.hub.outlet.sendFrame(connection, encodeWire(frame, connection.manner.format));
  }

  /** The members of a connection leave a channel, at once or when the time has passed. */
  async membersLeave(
    connection: CompatConnection,
    channel: string,
    leaseMs: number,
    cause: LeaveCause = 'left',
  ): Promise<void> {
    const members = connection.members.get(channel);
    if (members === undefined) return;
    if (leaseMs === 0) connection.members.delete(channel);
    const place = { appId: connection.hub.appId, channel, socketId: connection.id };
    await Promise.all(
      [...members.values()].map(({ userId }) => this.presence.leave({ ...place, userId }, leaseMs, cause)),
    );
  }

  /** The members of a connection leave all its channels. */
  async allLeave(connection: CompatConnection, leaseMs: number, cause: LeaveCause): Promise<void> {
    await Promise.all(
      [...connection.members.keys()].map((channel) => this.membersLeave(connection, channel, leaseMs, cause)),
    );
  }
}
