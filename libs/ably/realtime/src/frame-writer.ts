import { encodeWire } from '@carillon/ably-core';
import { frameBytes, type Hub } from '@carillon/realtime';
import type { LeaveCause, Presence } from '@carillon/presence';
import type { CompatConnection } from './connection.js';
import { ControlQueue } from './control-queue.js';
import type { Counted } from './counted.js';
import { FRAME_NAMES, MODE } from './flags.js';

/** Connection operations shared by attaching and presence. */
export class FrameWriter {
  constructor(
    private readonly hub: Hub,
    private readonly presence: Presence,
    private readonly counted: Pick<Counted, 'said'>,
  ) {}

  /** Sends one frame. A client that does not read even its control frames is disconnected, and may resume. */
  say(connection: CompatConnection, frame: object): void {
    const { outlet } = this.hub;
    const { lane, manner } = connection;
    this.counted.said();
    connection.toldMs = performance.now();
    const encoded = encodeWire(frame, manner.format);
    const { tap } = connection.hub;
    const name = tap === null || !('action' in frame) ? undefined : FRAME_NAMES.get(Number(frame.action));
    if (tap !== null && name !== undefined) tap.frame(connection, 'out', name, frameBytes(encoded));
    if (lane !== null && !('channel' in frame)) {
      connection.control ??= new ControlQueue();
      if (!connection.control.add(lane, frameBytes(encoded)))
        return outlet.terminate(connection, 'over_capacity');
    }
    outlet.sendFrame(connection, encoded);
  }

  /** Removes the members of a connection from a channel, immediately or after the given time. */
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

  /** Removes its members from a channel immediately, unless one of its attachments has the presence mode. */
  async membersSettle(connection: CompatConnection, channel: string): Promise<void> {
    if (((connection.modesOn(channel) ?? 0) & MODE.PRESENCE) === 0)
      await this.membersLeave(connection, channel, 0);
  }

  /** The members of a connection leave all its channels. */
  async allLeave(connection: CompatConnection, leaseMs: number, cause: LeaveCause): Promise<void> {
    await Promise.all(
      [...connection.members.keys()].map((channel) => this.membersLeave(connection, channel, leaseMs, cause)),
    );
  }
}
