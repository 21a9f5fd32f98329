export { type ChannelDelivery, type ChannelMessage, ChannelRefused } from '@carillon/push-providers';
import type { ChannelDelivery, ChannelMessage } from '@carillon/push-providers';

/** Delivery to channels, set by the process that publishes to them; deliveries before that are retried. */
export class PushChannels implements ChannelDelivery {
  #way: ChannelDelivery | null = null;

  use(way: ChannelDelivery): void {
    this.#way = way;
  }

  async deliver(message: ChannelMessage): Promise<void> {
    if (this.#way === null) throw new Error('no way to channels yet');
    await this.#way.deliver(message);
  }
}
