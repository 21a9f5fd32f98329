import { errorText, type Logger, type Metrics, pause } from '@carillon/runtime';
import type { WriterEvents } from '../writer/events.js';
import type { Writer } from '../writer/writer.js';

const REPORT_EVERY_MS = 60_000;

/** Metrics of lane moves, and logs about other processes. */
export function writerEvents(metrics: Metrics, log: Logger): WriterEvents {
  const moves = metrics.counter('commit_lane_moves_total').for();
  return {
    taken: (lane) => {
      moves.add();
      log.info('lane taken', { lane });
    },
    released: (lane) => {
      moves.add();
      log.info('lane given up', { lane });
    },
    buried: (writerId) => log.warn('another writer is silent and taken for dead', { writer_id: writerId }),
    mismatched: ({ nodeId, lanes, lane }) =>
      log.error('another process has another history.writer_shards', { node_id: nodeId, lanes, lane }),
    dropped: (reason) => log.warn('message to the writer dropped', { reason }),
    failed: (doing, error) =>
      log.warn(`the writer could not ${doing}`, { error: errorText(error), retryable: true }),
  };
}

/** Lanes that are served in this process, and how many records wait in each. */
export type ServedLanes = Pick<Writer, 'depths' | 'serving'>;

/** Metrics of served lanes and their queues. */
export function showLanes(metrics: Metrics, lanes: ServedLanes): void {
  const served = metrics.gauge('commit_lanes_served').for();
  const depth = metrics.gauge('commit_queue_depth');
  const shown = new Set<number>();
  metrics.onScrape(() => {
    const { depths, serving } = lanes;
    served.set(serving.length);
    for (const lane of depths.keys()) shown.add(lane);
    for (const lane of shown) depth.for({ lane: String(lane) }).set(depths.get(lane) ?? 0);
  });
}

/** Periodically logs the served lanes, their rate and backlog, until stopped. */
export async function reportWriter(
  writer: Writer,
  committed: () => number,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  let before = committed();
  while (!signal.aborted) {
    await pause(REPORT_EVERY_MS, signal);
    const now = committed();
    log.info('history writer', {
      lanes: writer.serving.join(','),
      waiting: [...writer.depths.values()].reduce((sum, one) => sum + one, 0),
      records_per_second: Math.round((now - before) / (REPORT_EVERY_MS / 1000)),
    });
    before = now;
  }
}
