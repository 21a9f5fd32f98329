import { Random } from '../random.js';
import { now } from '../wait.js';
import type { DurableFault } from './faults/fault.js';
import type { Installation } from './installation.js';
import { DurablePlay, type DurablePlayOptions } from './play.js';

/** What a run of durable channels found. */
export interface DurableReport {
  readonly fault: string;
  readonly seed: number;
  readonly violations: readonly string[];
  readonly published: number;
  readonly delivered: number;
  /** Accepted changes of messages. */
  readonly changed: number;
  /** Answers that said to try again. */
  readonly refused: number;
  /** Publishes whose connection ended without an answer. */
  readonly unanswered: number;
  /** Gaps that a gateway could not close in its time, and went on without. */
  readonly givenUp: number;
  /** The longest that one publish waited for its answer. */
  readonly longestMs: number;
  readonly tookMs: number;
}

/** Longer, and something waits that nothing bounds. */
const LONGEST_RUN_MS = 240_000;

/** One run: clients at work, a fault in the middle, and a look at whether what must be true is. */
export async function runDurable(
  installation: Installation,
  fault: DurableFault,
  options: DurablePlayOptions & { readonly seed: number },
): Promise<DurableReport> {
  const beganAtMs = now();
  const { seed } = options;
  // Channels of its own, so that runs on one installation do not meet.
  const play = new DurablePlay(installation, new Random(seed), `${seed}-${Math.round(beganAtMs)}`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve(['the run does not end']), LONGEST_RUN_MS);
  });
  const violations = await Promise.race([play.play(fault, options), late]).catch((error: unknown) => [
    `the run failed: ${error instanceof Error ? error.stack : String(error)}`,
  ]);
  clearTimeout(timer);
  const attempts = play.publications.flatMap((publication) => publication.attempts);
  return {
    fault: fault.name,
    seed,
    violations: [...violations, ...installation.nodes.flatMap((node) => node.trouble)],
    published: play.publications.length,
    delivered: play.delivered,
    changed: play.changed,
    refused: attempts.filter(({ status }) => status === 503).length,
    unanswered: attempts.filter(({ status }) => status === null).length,
    givenUp: play.givenUp,
    longestMs: Math.round(Math.max(0, ...attempts.map(({ tookMs }) => tookMs))),
    tookMs: now() - beganAtMs,
  };
}

/** One run in one line. */
export const durableLineOf = (report: DurableReport): string => {
  const {
    fault,
    seed,
    violations,
    published,
    delivered,
    changed,
    refused,
    unanswered,
    givenUp,
    longestMs,
    tookMs,
  } = report;
  const verdict = violations.length === 0 ? 'holds' : `BROKEN in ${violations.length} ways`;
  const counts = `${published} published, ${delivered} delivered, ${changed} changed, ${refused} refused, ${unanswered} unanswered, ${givenUp} gaps given up`;
  return `durable ${fault} seed ${seed}: ${verdict}; ${counts}, longest ${longestMs} ms; ${(tookMs / 1000).toFixed(1)} s`;
};
