import { LanePool } from './lane-pool.js';
import { pace } from './pacer.js';
import { Schedule } from './schedule.js';
import { shareOf } from './shares.js';

/**
 * Prepared requests over keep-alive connections: a closed loop when the rate is 0, else an open loop with latency.
 * @param {import('./model.js').LoadContext} context
 * @param {Buffer[]} requests sent in turn; at least one
 * @returns {import('./model.js').Load}
 */
export function requestLoad({ settings, server, share, stopwatch }, requests) {
  const pool = new LanePool(server, shareOf(settings.connections, share), settings.pipeline);
  const first = requests[0] ?? Buffer.alloc(0);
  let running = false;
  let answered = 0;
  let failed = 0;
  let firstProblem = '';
  let turn = 0;
  /** @type {(() => void) | null} */
  let stopPacing = null;
  const nextRequest = () => {
    turn = (turn + 1) % requests.length;
    return requests[turn] ?? first;
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
    prepare: () => pool.probe(first),
    start(startUs) {
      running = true;
      if (settings.rate === 0) return pool.keepFull(closedLoop);
      pool.drainQueueWhenFree();
      stopPacing = pace(new Schedule(startUs, settings.rate / share.of), openLoop);
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
