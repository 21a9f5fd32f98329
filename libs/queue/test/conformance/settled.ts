import type { Queue, QueueObserver } from '../../src/index.js';
import { until, type OpenOptions, type Scene } from '../scene.js';

/** A queue of a process with the outcomes of its jobs: not every broker lists completed jobs. */
export interface CountedQueue {
  readonly queue: Queue;
  /** Outcomes: `ok`, `retry`, `dead`. */
  readonly outcomes: string[];
  /** Resolves after `count` deliveries with this outcome. */
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
