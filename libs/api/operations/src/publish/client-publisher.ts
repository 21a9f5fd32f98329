import type { App } from '@carillon/app-registry';
import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import type { Publication, PublicationKey, Publisher, Receipt } from '@carillon/history-publish';
import type { Logger } from '@carillon/runtime';
import { clientFingerprint } from '../idempotency/fingerprint.js';
import { KeyRules } from '../idempotency/keys.js';
import { MessageReceipts } from '../idempotency/message-receipts.js';
import { OncePublisher } from '../idempotency/once-publisher.js';

export interface ClientPublisherParts {
  readonly config: Pick<Config, 'idempotency'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly cache: Cache;
  readonly log: Logger;
}

/** Publishes client events, once per `message_id` or key in their extras. */
export class ClientPublisher {
  readonly #keys: KeyRules;
  readonly #once: OncePublisher;

  constructor(private readonly parts: ClientPublisherParts) {
    this.#keys = new KeyRules(parts.config.idempotency);
    this.#once = new OncePublisher(parts.publisher, new MessageReceipts(parts.cache, parts.log));
  }

  /**
   * Synchronous if nothing has to be awaited, which is never the case with a key. Rejects as the publisher does, with
   * `conflict` for a key of other content, and with `invalid_input` for an empty or too long one.
   */
  publish(app: App, said: Omit<Publication, 'key'>, extrasKey: string | null): Receipt | Promise<Receipt> {
    const text = said.messageId ?? extrasKey;
    const ttlMs = text === null ? null : this.#keys.ttlMs(app);
    if (text === null || ttlMs === null) return this.parts.publisher.publish({ ...said, key: null });
    return this.#publishOnce(said, text, ttlMs);
  }

  async #publishOnce(said: Omit<Publication, 'key'>, text: string, ttlMs: number): Promise<Receipt> {
    this.#keys.checkLength('the key of a client event', text);
    const { event, dataText, extrasText } = said;
    const key: PublicationKey = {
      key: text,
      ttlMs,
      fingerprint: clientFingerprint(event, dataText, extrasText),
    };
    return this.#once.publish({ ...said, key }, key);
  }
}
