import { nowUs } from './clock.js';

/** Node's timers are this coarse; nearer than that only turning the event loop hits the time. */
const TIMER_STEP_US = 1_500;
/** Closer together than this, requests leave in small bursts on the timer: turning the loop would take the whole core. */
const SPIN_ABOVE_US = 4_000;

/**
 * Calls `send(dueUs)` once for every request of the schedule, as soon after its time as this process can. Returns the
 * function that ends it.
 * @param {import('./schedule.js').Schedule} schedule
 * @param {(dueUs: number) => void} send
 */
export function pace(schedule, send) {
  const spin = 1_000_000 / schedule.ratePerSecond >= SPIN_ABOVE_US;
  let sent = 0;
  let stopped = false;
  const turn = () => {
    if (stopped) return;
    const due = schedule.dueCount(nowUs());
    for (; sent < due; sent += 1) send(schedule.dueUs(sent));
    const waitUs = schedule.dueUs(sent) - nowUs();
    if (spin && waitUs < TIMER_STEP_US) setImmediate(turn);
    else setTimeout(turn, Math.max(1, Math.floor((waitUs - (spin ? TIMER_STEP_US : 0)) / 1000)));
  };
  turn();
  return () => {
    stopped = true;
  };
}
