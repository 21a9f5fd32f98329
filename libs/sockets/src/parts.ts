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

/** What sockets work with. */
export interface SocketsParts {
  readonly config: Config;
  readonly hub: Hub;
  readonly admission: Admission;
  readonly apps: AppRegistry;
  /** Where it is written which tokens are revoked, and what was said under which key. */
  readonly cache: Cache;
  /** Where histories are read; null: nowhere. */
  readonly historyReader: Pick<HistoryReader, 'page'> | null;
  readonly presence: Presence;
  readonly publisher: Publisher;
  readonly rateLimit: RateLimit;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
}
