import type { AppRegistry } from '@carillon/app-registry';
import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import type { HistoryReader } from '@carillon/history-reader';
import type { Hub } from '@carillon/realtime';
import type { Presence } from '@carillon/presence';
import type { Publisher } from '@carillon/history-publish';
import type { RateLimit } from '@carillon/rate-limit';
import type { Admission, Logger, Metrics } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';

/** Dependencies of the sockets package. */
export interface SocketsParts {
  readonly config: Config;
  readonly hub: Hub;
  readonly admission: Admission;
  readonly apps: AppRegistry;
  /** Stores token revocations and idempotency keys. */
  readonly cache: Cache;
  /** Reads channel histories; null if no history store is configured. */
  readonly historyReader: Pick<HistoryReader, 'page'> | null;
  readonly presence: Presence;
  readonly publisher: Publisher;
  readonly rateLimit: RateLimit;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
}
