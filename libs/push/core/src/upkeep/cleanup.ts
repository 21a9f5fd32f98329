import { PURGE_CATEGORIES, type PurgeCategory } from '@carillon/push-store';
import type { PushParts } from '../parts.js';
import { tellMeta } from '../watch/meta.js';
import { sealPlace } from '../pipeline/credentials.js';

const DAY_MS = 86_400_000;

/** Removes old rows in bounded batches, and re-encrypts secrets of earlier master keys. */
export class Cleanup {
  constructor(private readonly parts: PushParts) {}

  async cleanUp(): Promise<void> {
    const { config, metrics } = this.parts;
    const fromMs = performance.now();
    let left = config.push.cleanup_max_deleted_per_tick;
    for (const category of PURGE_CATEGORIES) {
      const beforeMs = this.#oldest(category);
      if (beforeMs === null) continue;
      left -= await this.#purge(category, left, (limit) => this.parts.store.purge(category, beforeMs, limit));
    }
    const staleMs = this.#ago(config.push.stale_device_max_age_days);
    if (staleMs !== null) {
      left -= await this.#purge('staleDevices', left, (limit) => this.#removeStale(staleMs, limit));
    }
    const deleted = config.push.cleanup_max_deleted_per_tick - left;
    if (deleted > 0) tellMeta(this.parts, 'cleanup-event', { detail: { deleted } });
    await this.#step('credentials', () => this.#sealAnew());
    metrics
      .histogram('push_cleanup_tick_duration_seconds')
      .for()
      .observe((performance.now() - fromMs) / 1000);
  }

  /** Returns the number of removed rows. A failure of one category does not stop the others. */
  async #purge(category: string, most: number, remove: (limit: number) => Promise<number>): Promise<number> {
    const { config, metrics } = this.parts;
    const scanned = metrics.counter('push_cleanup_scanned_total').for({ category });
    const deleted = metrics.counter('push_cleanup_deleted_total').for({ category });
    let gone = 0;
    await this.#step(category, async () => {
      for (let more = true; more && gone < most;) {
        const limit = Math.min(most - gone, config.push.cleanup_batch_size);
        const removed = await remove(limit);
        scanned.add(removed);
        deleted.add(removed);
        gone += removed;
        more = removed === limit;
      }
    });
    return gone;
  }

  async #removeStale(beforeMs: number, limit: number): Promise<number> {
    const { store, metrics } = this.parts;
    let count = 0;
    for (const [app, gone] of await store.removeStaleDevices(beforeMs, limit)) {
      metrics.counter('push_stale_devices_removed_total').for({ app }).add(gone);
      count += gone;
    }
    return count;
  }

  async #step(category: string, work: () => Promise<void>): Promise<void> {
    const { store, metrics, log } = this.parts;
    const errors = metrics.counter('push_cleanup_errors_total').for({ backend: store.driver, category });
    try {
      await work();
    } catch (error) {
      errors.add();
      log.warn('push cleanup failed, it is tried again', { category, error });
    }
  }

  /** Null: nothing of it is removed. */
  #oldest(category: PurgeCategory): number | null {
    const { push } = this.parts.config;
    if (category === 'publishes') return this.#ago(push.publish_status_ttl_days);
    const isLog =
      category === 'deliveryEvents' || category === 'operatorEvents' || category === 'deadLetters';
    return isLog ? this.#ago(push.analytics_retention_days) : this.parts.now();
  }

  #ago(days: number): number | null {
    return days === 0 ? null : this.parts.now() - days * DAY_MS;
  }

  async #sealAnew(): Promise<void> {
    const { store, secrets, now, metrics } = this.parts;
    const scanned = metrics.counter('push_cleanup_scanned_total').for({ category: 'credentials' });
    const { sealer } = secrets;
    if (sealer === null) return;
    let after: readonly [string, string] | null = null;
    for (;;) {
      const page = await store.allCredentials(after, 100);
      scanned.add(page.length);
      for (const row of page) {
        if (!Object.values(row.sealedFields).some((envelope) => sealer.isOld(envelope))) continue;
        const sealedFields = Object.fromEntries(
          Object.entries(row.sealedFields).map(([field, envelope]) => {
            const place = sealPlace(row, field);
            return [
              field,
              sealer.isOld(envelope) ? sealer.seal(sealer.open(envelope, place), place) : envelope,
            ];
          }),
        );
        await store.putCredential({ ...row, sealedFields, updatedMs: now() }, row.version, null);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < 100) return;
      after = [last.appId, last.credentialId];
    }
  }
}
