import { setMaxListeners } from 'node:events';
import { errorText } from '../logging/redaction.js';
import type { Logger } from '../logging/logger.js';
import { bounded, pause } from '../time.js';

/** Something the process cannot run without. */
export interface Dependency {
  /** Name in logs and in the failure, as in `app store`. */
  readonly name: string;
  /** One attempt. Throws when it fails, stops when the signal aborts, and leaves nothing open when it did not work. */
  connect(signal: AbortSignal): Promise<void>;
  /** Whether another attempt would fail just the same. Absent: every failure is tried again. */
  isFinal?(error: unknown): boolean;
}

export interface ConnectOptions {
  readonly startup_timeout_ms: number;
  readonly log: Logger;
  /** Aborted when the process is stopped during its start. */
  readonly signal?: AbortSignal;
}

/** Thrown when parts could not be reached within the start-up time; nothing is put in their place. */
export class DependencyError extends Error {
  override readonly name = 'DependencyError';

  constructor(
    readonly parts: readonly string[],
    timeoutMs: number,
    reasons: readonly string[],
  ) {
    super(
      `not connected within ${timeoutMs} ms: ${parts.map((part, i) => `${part} (${reasons[i]})`).join(', ')}`,
    );
  }
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;

/**
 * Connects all dependencies side by side, each again and again with doubling pauses (200 ms to 5 s) until it works or
 * the start-up time is over. Rejects with `DependencyError` naming every part that did not.
 */
export async function connectDependencies(
  dependencies: readonly Dependency[],
  options: ConnectOptions,
): Promise<void> {
  // Each of them listens to it while it waits; Node takes more than ten for a leak.
  if (options.signal !== undefined) setMaxListeners(0, options.signal);
  const deadlineMs = performance.now() + options.startup_timeout_ms;
  const failures = await Promise.all(dependencies.map((one) => connectOne(one, deadlineMs, options)));
  const failed = dependencies.flatMap(({ name }, index) => {
    const reason = failures[index] ?? null;
    return reason === null ? [] : [{ name, reason }];
  });
  if (failed.length === 0) return;
  throw new DependencyError(
    failed.map(({ name }) => name),
    options.startup_timeout_ms,
    failed.map(({ reason }) => reason),
  );
}

/** Null once connected, else why not. */
async function connectOne(
  dependency: Dependency,
  deadlineMs: number,
  { log, signal }: ConnectOptions,
): Promise<string | null> {
  const { name } = dependency;
  let reason = 'no answer';
  for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
    const leftMs = deadlineMs - performance.now();
    if (signal?.aborted === true) return 'stopped while starting';
    if (leftMs <= 0) return reason;
    const outcome = await bounded(leftMs, (limit) => dependency.connect(limit), signal);
    if (outcome.kind === 'done') {
      log.info(`${name} connected`);
      return null;
    }
    if (outcome.kind === 'timeout') continue;
    reason = errorText(outcome.error);
    if (dependency.isFinal?.(outcome.error) === true) return reason;
    log.warn(`${name} not reachable, trying again`, { error: reason, retryable: true });
    await pause(Math.min(waitMs, Math.max(0, deadlineMs - performance.now())), signal);
  }
}
