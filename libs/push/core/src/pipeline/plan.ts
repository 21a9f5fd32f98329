import type { JsonObject, Provider } from '@carillon/push-providers';
import type { PublishLog, StoredPublish } from '@carillon/push-store';
import type { Target } from '../admission/targets.js';

/** A publish as planning sees it. */
export interface Plan {
  readonly publish: StoredPublish;
  readonly log: PublishLog;
  readonly targets: readonly Target[];
  readonly rendered: ReadonlyMap<Provider, JsonObject>;
}
