import { inFormat, memberOf } from '@carillon/ably-core';
import type { Presence, PresenceView } from '@carillon/presence';
import type { Attachment, CompatConnection } from './connection.js';
import { ACTION, MODE } from './flags.js';
import type { FrameWriter } from './frame-writer.js';

const CHUNK = 100;
const PRESENT = 1;

/** Sends connections the members of their channels. */
export class Syncing {
  #syncs = 0;

  constructor(
    private readonly presence: Pick<Presence, 'look'>,
    private readonly said: FrameWriter,
  ) {}

  /** Returns the current members. */
  look({ hub: { appId } }: CompatConnection, channel: string): Promise<PresenceView> {
    return this.presence.look({ appId, channel });
  }

  /** Sends all members again when the client requests a sync. */
  async again(connection: CompatConnection, text: string): Promise<void> {
    const attachment = connection.attachments.get(text);
    if (attachment === undefined || (attachment.modes & MODE.PRESENCE_SUBSCRIBE) === 0) return;
    const view = await this.look(connection, attachment.base);
    this.show(connection, attachment, view);
  }

  /**
   * Sends SYNC frames in chunks; the serial of the last one ends with a colon. Without members it sends one empty
   * chunk.
   */
  show(
    connection: CompatConnection,
    { base, text }: Pick<Attachment, 'base' | 'text'>,
    view: PresenceView,
  ): void {
    const { format } = connection.manner;
    const about = { action: PRESENT, serial: view.serial, timestamp: Date.now() };
    const members = view.members.map((one) => inFormat(memberOf(base, one, about), format));
    this.#syncs += 1;
    const chunks = Math.max(1, Math.ceil(members.length / CHUNK));
    for (let index = 0; index < chunks; index += 1) {
      const presence = members.slice(index * CHUNK, (index + 1) * CHUNK);
      const cursor = index === chunks - 1 ? '' : String(index + 1);
      const serial = chunks === 1 ? {} : { channelSerial: `s${this.#syncs}:${cursor}` };
      this.said.say(connection, { action: ACTION.sync, channel: text, ...serial, presence });
    }
  }
}
