import type { Claim, StoredPublish } from '@carillon/push-store';
import type { PushParts } from '../parts.js';
import { tellIfOver } from '../watch/meta.js';
import { deadLetterOf } from '../pipeline/dead-letters.js';
import { settled, withCounts } from '../pipeline/lifecycle.js';

const PAGE = 1000;
const SLACK_MS = 3_600_000;
/** Time that a new process repairs before it gives up on publishes: work may have been idle for lack of workers. */
const CHANCE_MS = 600_000;
const REASON = 'delivery results incomplete';

/** Ends publishes that cannot complete any longer, although their work was enqueued again. */
export class Watchdog {
  #sinceMs: number | null = null;

  constructor(private readonly parts: PushParts) {}

  async run(): Promise<void> {
    const { store, config, now } = this.parts;
    this.#sinceMs ??= now();
    if (now() - this.#sinceMs < CHANCE_MS) return;
    const { retry, repair_batch_size: most } = config.push;
    const beforeMs = now() - (retry.max_elapsed_secs * 1000 + SLACK_MS);
    for (const publish of await store.stalePublishes(beforeMs, most)) await this.#close(publish);
  }

  async #close({ appId, publishId, state }: StoredPublish): Promise<void> {
    const { store, log, now, metrics } = this.parts;
    // Not started, so nothing is incomplete: it is planned however late.
    if (state === 'queued') return;
    let closed = 0;
    for (;;) {
      const open = await store.openClaims(appId, publishId, null, PAGE);
      if (open.some(({ leaseUntilMs }) => (leaseUntilMs ?? 0) > now())) {
        metrics.counter('push_repair_skipped_total').for({ reason: 'leased' }).add();
        return;
      }
      const isLast = open.length < PAGE;
      const { mostSteps } = store;
      let rest = open;
      do {
        const some = rest.slice(0, mostSteps);
        rest = rest.slice(mostSteps);
        await this.#end(appId, publishId, some, isLast && rest.length === 0);
      } while (rest.length > 0);
      closed += open.length;
      if (isLast) break;
    }
    log.warn('a push that could not end was closed', { app_id: appId, open: closed });
  }

  /** Closes deliveries; the last ones end the publish. */
  async #end(appId: string, publishId: string, claims: readonly Claim[], isLast: boolean): Promise<void> {
    const { store, now } = this.parts;
    const steps = claims.map(({ deliveryKey, attempt }) => ({
      deliveryKey,
      attempt,
      from: 'open' as const,
      to: { state: 'done', outcome: 'dead_lettered' } as const,
    }));
    let before: StoredPublish | null = null;
    let last: StoredPublish | null = null;
    const planned = isLast ? await store.countClaims(appId, publishId) : 0;
    await store.changePublish(appId, publishId, steps, (publish, taken) => {
      // The time of its last activity stays until all is closed: should this be cut off, it is found again.
      const counted = withCounts(publish, { deadLettered: taken.size }, publish.updatedMs);
      [before, last] = [publish, isLast ? ended(counted, planned, now()) : counted];
      return { publish: last, deadLetters: isLast ? [this.#letter(publish)] : [] };
    });
    tellIfOver(this.parts, before, last);
  }

  #letter({ appId, publishId }: StoredPublish) {
    const { secrets, now } = this.parts;
    const key = `${appId}:${publishId}`;
    const what = { stage: 'delivery_results', key, reason: REASON, occurredMs: now(), replay: null };
    return deadLetterOf({ appId, publishId, provider: null, ...what }, secrets);
  }
}

/** All claims are closed. A publish whose planning never completed is failed, whatever was sent. */
function ended(publish: StoredPublish, planned: number, nowMs: number): StoredPublish {
  const counters = publish.planningComplete ? publish.counters : { ...publish.counters, planned };
  const last = settled({
    ...publish,
    counters,
    planningComplete: true,
    errorReason: REASON,
    updatedMs: nowMs,
  });
  if (publish.planningComplete || last.state !== 'succeeded') return last;
  return { ...last, state: counters.succeeded > 0 ? 'partiallySucceeded' : 'failed' };
}
