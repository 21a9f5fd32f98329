/** The length of a tick, which is the maximum delay of a heartbeat. */
export const TICK_MS = 500;
