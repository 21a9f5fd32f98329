import type { NewItem } from '../pipeline/items.js';

/** A publish as it waits for its planner. */
export const publishItem = (
  appId: string,
  publishId: string,
  notBeforeMs: number | null,
  suffix?: string,
): NewItem => ({
  stage: 'publish',
  key: `${appId}:${publishId}`,
  partitionKey: `${appId}:${publishId}`,
  payload: { kind: 'publishLog', appId, publishId },
  ...(notBeforeMs === null ? {} : { notBeforeMs }),
  ...(suffix === undefined ? {} : { suffix }),
});
