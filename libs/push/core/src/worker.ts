import { CLOUDS } from '@carillon/push-providers';
import type { Settlement } from '@carillon/queue';
import { bounded } from '@carillon/runtime';
import { isConfigured, type Workers } from './admission/readiness.js';
import type { PushParts } from './parts.js';
import { deadLetterOf } from './pipeline/dead-letters.js';
import { Dispatcher } from './pipeline/dispatcher.js';
import { FeedbackWorker } from './pipeline/feedback.js';
import { Outbox } from './pipeline/outbox.js';
import { Planner } from './pipeline/planner.js';
import { putBack } from './pipeline/put-back.js';
import { READS_RESULT_BATCHES } from './pipeline/result-writer.js';
import { ResultsLane } from './pipeline/results-lane.js';
import { Retrier } from './pipeline/retrier.js';
import { sentHere, type WorkerStage, workersOf } from './stages.js';
import { Cleanup } from './upkeep/cleanup.js';
import { Counts } from './watch/counts.js';
import { DispatchGauges } from './watch/dispatch-gauges.js';
import { move } from './watch/invariants.js';
import { showKnown } from './watch/known.js';
import { Lags } from './watch/lags.js';
import { Repair } from './upkeep/repair.js';
import { Upkeep } from './upkeep/upkeep.js';
import { Watchdog } from './upkeep/watchdog.js';

const BEAT_MS = 10_000;
const ALIVE_MS = 30_000;
const DEFERRED_MS = 1000;
const COUNTED_MS = 60_000;
/** Limit of a scrape's wait for a queue; late values keep their last state. */
const SCRAPE_MS = 1000;

/** Work that does not wait for its first time. */
const AT_ONCE: ReadonlySet<string> = new Set(['heartbeat', 'scheduler', 'jobs', 'devices', 'repair']);

/** All stages of push, of which a process works on those it offers. */
export class PushWorker {
  readonly outbox: Outbox;
  readonly planner: Planner;
  readonly dispatcher: Dispatcher;
  readonly results: ResultsLane;
  readonly retrier: Retrier;
  readonly upkeep: Upkeep;
  readonly cleanup: Cleanup;
  readonly lags: Lags;
  readonly #repair: Repair;
  readonly #watchdog: Watchdog;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #running = new Set<string>();

  constructor(
    private readonly parts: PushParts,
    readonly offered: readonly WorkerStage[],
  ) {
    const { queue, store, secrets, config, now } = parts;
    this.outbox = new Outbox(queue, store, secrets, config.push.queue_partition_count, now);
    this.planner = new Planner(parts, this.outbox);
    this.dispatcher = new Dispatcher(parts, this.outbox);
    this.results = new ResultsLane(new FeedbackWorker(parts, this.outbox));
    this.retrier = new Retrier(parts, this.outbox);
    this.cleanup = new Cleanup(parts);
    this.lags = new Lags(parts);
    this.upkeep = new Upkeep(parts, this.outbox);
    this.#repair = new Repair(parts, this.outbox, this.planner);
    this.#watchdog = new Watchdog(parts);
  }

  /** Workers of this process, for admission. */
  get own(): Workers {
    const { config } = this.parts;
    const stages = new Set(this.offered.filter((stage) => workersOf(config, stage, this.offered) > 0));
    const credentials = new Set(CLOUDS.filter((cloud) => isConfigured(config, cloud)));
    return { stages, providers: new Set(sentHere(config, this.offered)), credentials };
  }

  /** Starts the periodic work. */
  start(): void {
    const { config } = this.parts;
    const { push } = config;
    const runs = (stage: WorkerStage): boolean => workersOf(config, stage, this.offered) > 0;
    const counts = new Counts(this.parts);
    if (runs('scheduler')) {
      this.#every('scheduler', push.scheduler_interval_secs * 1000, () => this.upkeep.schedule());
      this.#every('deferred', DEFERRED_MS, () => this.upkeep.releaseDeferred());
      this.#every('jobs', push.scheduler_interval_secs * 1000, () => counts.jobs());
    }
    if (runs('cleanup')) {
      this.#every('cleanup', push.cleanup_interval_secs * 1000, () => this.cleanup.cleanUp());
      this.#every('devices', Math.min(COUNTED_MS, push.cleanup_interval_secs * 1000), () => counts.devices());
    }
    if (runs('repair')) this.#every('repair', push.repair_interval_secs * 1000, () => this.repair());
    if (runs('feedback')) this.#every('dead-letters', DEFERRED_MS, () => this.upkeep.importDeadLetters());
    if (this.own.stages.size > 0) this.#every('heartbeat', BEAT_MS, () => this.beat());
    this.#show();
  }

  /** Updates gauges that are read at a scrape. */
  #show(): void {
    const { config, metrics, queue } = this.parts;
    showKnown(metrics);
    const here = sentHere(config, this.offered);
    const gauges = new DispatchGauges(this.parts, this.dispatcher, here);
    if (here.length > 0) metrics.onScrape(() => gauges.show());
    if (!queue.capabilities.observableLag) return;
    metrics.onScrape(async () => void (await bounded(SCRAPE_MS, () => this.lags.read())));
  }

  /** Enqueues lost work again, and ends publishes that cannot complete. */
  async repair(): Promise<void> {
    await this.#repair.run();
    await this.#watchdog.run();
  }

  async beat(): Promise<void> {
    const { store, owner, now } = this.parts;
    const { stages, providers, credentials } = this.own;
    await store.beat({
      workerId: owner,
      stages: [...stages, ...(stages.has('feedback') ? [READS_RESULT_BATCHES] : [])],
      providers: [...providers],
      credentials: [...credentials],
      expiresMs: now() + ALIVE_MS,
    });
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.parts.store.leave(this.parts.owner).catch(() => undefined);
    await this.dispatcher.close();
  }

  /** A publish that can never be planned. */
  async fail(appId: string, publishId: string, errorReason: string): Promise<void> {
    const { store, secrets, now } = this.parts;
    await store.changePublish(appId, publishId, [], (publish) => ({
      publish: { ...move(this.parts, publish, 'failed'), errorReason },
      deadLetters: [
        deadLetterOf(
          {
            appId,
            publishId,
            provider: null,
            stage: 'publish_log',
            key: `${appId}:${publishId}`,
            reason: errorReason,
            occurredMs: now(),
            replay: null,
          },
          secrets,
        ),
      ],
    }));
  }

  /** Returns work whose dependency is unavailable. */
  giveBack(stage: string, settlement: Settlement): Settlement {
    return putBack(this.parts, stage, 'away', settlement);
  }

  countMalformed(): void {
    this.parts.metrics.counter('push_retry_malformed_total').for({ provider: '', reason: 'malformed' }).add();
  }

  /** Runs work periodically without overlap; failures are logged and retried the next time. */
  #every(name: string, everyMs: number, work: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      if (this.#running.has(name)) return;
      this.#running.add(name);
      try {
        await work();
      } catch (error) {
        const { log, metrics } = this.parts;
        log.warn('push upkeep failed, it is tried again', { work: name, error });
        metrics
          .counter('push_worker_exits_total')
          .for({ kind: 'upkeep', worker: name, reason: 'error' })
          .add();
      } finally {
        this.#running.delete(name);
      }
    };
    this.parts.metrics
      .counter('push_worker_exits_total')
      .for({ kind: 'upkeep', worker: name, reason: 'error' });
    this.#timers.push(setInterval(() => void run(), everyMs));
    if (AT_ONCE.has(name)) void run();
  }
}
