import type { PublishableChannel } from '@carillon/channels';
import type { HistoryReader, HistoryStreamBody } from '@carillon/history-reader';
import type { Message } from '@carillon/protocol';
import type { StoredLastEvents } from '@carillon/history-publish';
import type { Logger } from '@carillon/runtime';

/** Removes last events of cache channels that belong to purged history; they are stored separately. Never rejects. */
export class PurgedLastEvents {
  constructor(
    private readonly lastEvents: Pick<StoredLastEvents, 'forgetIf'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** All of the history is gone. */
  forget(appId: string, channel: PublishableChannel): Promise<void> {
    return this.#forgetIf(appId, channel, async () => true);
  }

  /** Keeps an event that belongs to the remaining history. */
  forgetPurged(
    appId: string,
    channel: PublishableChannel,
    { retained: { oldest_available_serial: oldest } }: HistoryStreamBody,
    reader: Pick<HistoryReader, 'serialAt'>,
  ): Promise<void> {
    return this.#forgetIf(appId, channel, async ({ streamId, serial: deliverySerial }) => {
      if (oldest === null || streamId === null || deliverySerial === null) return true;
      const moment = { streamId, deliverySerial };
      // Of a stream that cannot be read it is not known.
      const serial = await reader.serialAt(appId, channel.name, moment).catch(() => null);
      return serial === null || serial < oldest;
    });
  }

  async #forgetIf(
    appId: string,
    channel: PublishableChannel,
    isOver: (event: Message) => Promise<boolean>,
  ): Promise<void> {
    if (channel.form !== 'ordinary' || !channel.traits.keepsLastEvent) return;
    try {
      await this.lastEvents.forgetIf(appId, channel.name, isOver);
    } catch (error) {
      this.log.warn('the last event of a channel could not be forgotten', { app_id: appId, error });
    }
  }
}
