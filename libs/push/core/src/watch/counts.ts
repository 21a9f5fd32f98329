import type { PushParts } from '../parts.js';
import { ComingAndGoing } from './coming-and-going.js';

/** Limit of counted jobs, shown as the value beyond it. */
const MAX_JOBS = 100_000;
/** Counting devices reads their table: it takes no more than this part of the time. */
const PART_OF_TIME = 0.01;

/** Shows how much the store holds. */
export class Counts {
  readonly #devices = new ComingAndGoing<{ app: string; state: string }>();
  #notBeforeMs = 0;

  constructor(private readonly parts: PushParts) {}

  async devices(): Promise<void> {
    const { store, metrics, now } = this.parts;
    if (now() < this.#notBeforeMs) return;
    const fromMs = performance.now();
    const counts = await store.countDevices();
    this.#notBeforeMs = now() + (performance.now() - fromMs) / PART_OF_TIME;
    this.#devices.show(
      metrics.gauge('push_devices_total'),
      counts.map(({ appId: app, state, count }) => [{ app, state }, count] as const),
    );
  }

  async jobs(): Promise<void> {
    const { store, metrics, now } = this.parts;
    const { due, waiting } = await store.countJobs(now(), MAX_JOBS);
    metrics.gauge('push_scheduled_jobs_total').for({ status: 'due' }).set(due);
    metrics.gauge('push_scheduled_jobs_total').for({ status: 'waiting' }).set(waiting);
  }
}
