import type { Config } from '@carillon/config';
import type { PushProviders } from '@carillon/push-providers';
import type { PushStore } from '@carillon/push-store';
import type { Queue } from '@carillon/queue';
import type { RateLimit } from '@carillon/rate-limit';
import type { Logger, Metrics } from '@carillon/runtime';
import type { Secrets } from './secrets.js';

/** Dependencies of every part of push. */
export interface PushParts {
  readonly config: Config;
  readonly store: PushStore;
  readonly queue: Queue;
  readonly providers: PushProviders;
  readonly rateLimit: RateLimit;
  readonly secrets: Secrets;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Log target `[meta]log:push`. */
  readonly meta: Logger;
  readonly now: () => number;
  /** Unique id of this process. */
  readonly owner: string;
}
