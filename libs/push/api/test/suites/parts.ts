import type { Scene } from '../scene.js';

export const isOver = ({ state }: Readonly<Record<string, unknown>>) =>
  !['queued', 'planning', 'dispatching', 'throttled'].includes(String(state));

export const toDevice = (publishId: string, deviceId: string, more: object = {}) => ({
  publishId,
  recipients: [{ type: 'device', deviceId }],
  payload: { title: 'Hi', body: 'There' },
  ...more,
});

/** Keeps accepted publishes from the planner until they are let go. */
export function held({ queue }: Scene): () => Promise<void> {
  const enqueue = queue.enqueueBatch.bind(queue);
  const kept: Parameters<typeof enqueue>[] = [];
  queue.enqueueBatch = async (name, jobs) => {
    if (name !== 'push.publish.v1') return enqueue(name, jobs);
    kept.push([name, jobs]);
    return jobs.map(() => 'held');
  };
  return async () => {
    queue.enqueueBatch = enqueue;
    for (const one of kept) await enqueue(...one);
  };
}
