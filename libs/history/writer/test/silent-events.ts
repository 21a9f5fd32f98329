import type { LaneEvents } from '../src/index.js';

const nothing = (): void => {};

/** Callbacks without effect. */
export const SILENT_EVENTS: LaneEvents = {
  retried: nothing,
  recordFailed: nothing,
  committed: nothing,
  arrived: nothing,
  waited: nothing,
  answered: nothing,
  handedOver: nothing,
  resent: nothing,
  handOverFailed: nothing,
};
