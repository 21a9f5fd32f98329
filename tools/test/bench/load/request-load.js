import { LanePool } from './lane-pool.js';
import { pace } from './pacer.js';
import { Schedule } from './schedule.js';
import { shareOf } from './shares.js';

/**
 * Prepared requests over keep-alive connections: a closed loop when the phase's rate is 0, else an open loop with latency.
 * @param {import('./model.js').LoadContext} context
 * @param {(phase: string) => Buffer[]} requestsOf what is sent in turn; at least one
 * @param {string[]} phases one request of each is tried first
 * @returns {import('./model.js').Load}
 */
export function requestLoad({ settings, server, share, stopwatch }, requestsOf, phases) {
  const pool = new LanePool(server, shareOf(settings.connections, share), settings.pipeline);
  /** @type {Buffer[]} */
  let requests = [];
  let running = false;
  let answered = 0;
  let failed = 0;
  let firstProblem = '';
  let turn = 0;
  /** @type {(() => void) | null} */
  let stopPacing = null;
  const nextRequest = () => {
    turn = (turn + 1) % requests.length;
    return requests[turn] ?? Buffer.alloc(0);
  };
  /** @type {import('./http-lane.js').OnAnswer} */
  const onAnswer = ({ ok, problem }) => {
    if (ok) answered += 1;
    else {
      failed += 1;
      firstProblem ||= problem;
    }
  };
  const closedLoop = (/** @type {import('./http-lane.js').HttpLane} */ lane) => {
    if (!running) return false;
    lane.send(nextRequest(), onAnswer);
    return true;
  };
  const openLoop = (/** @type {number} */ dueUs) => {
    stopwatch.sent(dueUs);
    pool.offer(nextRequest(), (answer) => {
      if (answer.ok) stopwatch.arrived(dueUs);
      onAnswer(answer);
    });
  };

  return {
    async prepare() {
      for (const phase of phases) await pool.probe(requestsOf(phase)[0] ?? Buffer.alloc(0));
    },
    start(startUs, { name, rate }) {
      running = true;
      requests = requestsOf(name);
      if (rate === 0) return pool.keepFull(closedLoop);
      pool.drainQueueWhenFree();
      stopPacing = pace(new Schedule(startUs, rate / share.of), openLoop);
    },
    stop() {
      running = false;
      stopPacing?.();
    },
    close: async () => pool.close(),
    counts: () => ({ answered, failed: failed + pool.skipped }),
    problem: () => firstProblem,
  };
}
