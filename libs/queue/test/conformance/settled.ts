import type { Queue, QueueObserver } from '../../src/index.js';
import { until, type OpenOptions, type Scene } from '../scene.js';

/** A process' queue, and what became of the jobs it was given: not every broker tells what is done. */
export interface CountedQueue {
  readonly queue: Queue;
  /** As `ok`, `retry`, `dead`. */
  readonly outcomes: string[];
  /** Resolves when so many deliveries ended so. */
  ended(outcome: string, count: number): Promise<void>;
}

export async function counted(scene: Scene, options: OpenOptions = {}): Promise<CountedQueue> {
  const outcomes: string[] = [];
  const onSettled: QueueObserver['settled'] = (_, outcome, count) =>
    void outcomes.push(...Array<string>(count).fill(outcome));
  const queue = await scene.open({ ...options, onSettled });
  const ended = (wanted: string, count: number): Promise<void> =>
    until(() => outcomes.filter((outcome) => outcome === wanted).length >= count);
  return { queue, outcomes, ended };
}
