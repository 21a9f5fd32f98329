import { cacheKeys } from '@carillon/contracts';
import type { Publication, PublicationKey, Publisher, Receipt } from '@carillon/history-publish';
import type { MessageReceipts } from './message-receipts.js';

/** Publishes the message of each (channel, key) once: where there is a history, it knows the key with the message; elsewhere the cache does. */
export class OncePublisher {
  constructor(
    private readonly publisher: Pick<Publisher, 'publish'>,
    private readonly messages: MessageReceipts,
  ) {}

  /** Rejects as the publisher does, and as `MessageReceipts.once` does. */
  async publish(one: Publication, { key, ttlMs, fingerprint }: PublicationKey): Promise<Receipt> {
    if (one.history !== null) return this.publisher.publish(one);
    const name = cacheKeys.publish(one.appId, one.channel, key);
    const work = () => this.publisher.publish(one);
    const { receipt, isDuplicate } = await this.messages.once(name, fingerprint, ttlMs, work);
    return isDuplicate ? { ...receipt, isDuplicate } : receipt;
  }
}
