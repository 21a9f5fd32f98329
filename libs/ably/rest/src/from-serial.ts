import { CompatError, isObject, orRefused } from '@carillon/ably-core';
import type { HistoryReader, MessageReader } from '@carillon/history-reader';
import type { Access } from './access.js';

/** A position in the stream of a channel in the form of attached clients. */
const CHANNEL_SERIAL = /^([^:]+):(\d{1,15})$/;

/** Form of message serials; other texts never reach a store. */
const MESSAGE_SERIAL = /^[!-~]{1,128}$/;

const foreign = (): CompatError => new CompatError(90_005, 'from_serial is no place of this channel', 400);

/** Finds the end of a history that is requested up to a position. */
export class FromSerial {
  constructor(
    private readonly reader: Pick<HistoryReader, 'serialAt'>,
    private readonly messages: Pick<MessageReader, 'latest'> | null,
  ) {}

  /**
   * Returns the last history serial before the position. Rejects with CompatError 90005 for a position of another
   * channel.
   */
  async endOf({ principal, channel }: Access, text: string): Promise<number> {
    const place = { appId: principal.app.id, channel: channel.name };
    const [, streamId, serial] = CHANNEL_SERIAL.exec(text) ?? [];
    if (streamId !== undefined) {
      const moment = { streamId, deliverySerial: Number(serial) };
      const found = await orRefused(this.reader.serialAt(place.appId, place.channel, moment));
      if (found === null) throw foreign();
      return found;
    }
    const isSerial = MESSAGE_SERIAL.test(text);
    const item =
      this.messages === null || !isSerial
        ? null
        : await this.messages.latest({ ...place, messageSerial: text });
    const found = isObject(item) ? item['history_serial'] : null;
    if (typeof found !== 'number') throw foreign();
    return found;
  }
}
