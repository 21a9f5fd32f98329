/** Length of a tick, and so how late a heartbeat may be. */
export const TICK_MS = 500;
