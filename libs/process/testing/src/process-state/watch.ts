import { setTimeout } from 'node:timers/promises';
import { describeHandle, openHandles } from './handles.js';
import { TimerRecord } from './timers.js';
import { changedValues, processValues, type Values } from './values.js';

/** Handles close over several turns of the event loop; an error is reported only if they are still open then. */
const SETTLE_MS = 30_000;
const POLL_MS = 20;

/** One record for the process: the global functions are replaced once. */
let timers: TimerRecord | null = null;

function timersOfProcess(): TimerRecord {
  if (timers === null) {
    timers = new TimerRecord();
    timers.install();
  }
  return timers;
}

/**
 * Watches the process-wide state that a test file may change and has to restore: environment, globals, process
 * listeners, working directory, servers, child processes, timers, and the given further values.
 *
 * @param more further state, by name; compared with `Object.is`
 * @returns describes what is not as it was, when called after the file; waits for handles that are closing
 */
export function watchProcess(
  more: () => Readonly<Record<string, unknown>> = () => ({}),
): () => Promise<readonly string[]> {
  const record = timersOfProcess();
  record.clear();
  const values = (): Values => new Map([...processValues(), ...Object.entries(more())]);
  const before = values();
  const handles = new Set(openHandles());
  const leftovers = (): readonly string[] => [
    ...changedValues(before, values()),
    ...openHandles().flatMap((handle) => (handles.has(handle) ? [] : (describeHandle(handle) ?? []))),
    ...record.running(),
  ];
  return async () => {
    let found = leftovers();
    for (let waitedMs = 0; found.length > 0 && waitedMs < SETTLE_MS; waitedMs += POLL_MS) {
      // Neither recorded nor replaced by fake timers.
      await setTimeout(POLL_MS);
      found = leftovers();
    }
    return found;
  };
}
