import { setTimeout } from 'node:timers/promises';
import { describeHandle, openHandles } from './handles.js';
import { TimerRecord } from './timers.js';
import { changedValues, processValues, type Values } from './values.js';

/** Handles close over several turns of the event loop, and children and sockets when a busy machine gets to it. */
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
 * Watches the process-wide state that a test file may change and has to restore.
 * @param more further values, by name; compared with `Object.is`
 * @returns lists leftovers of a file, when called after it: changed values, open servers and sockets, running child
 * processes and long timers; waits up to `settleMs` for handles that close
 */
export function watchProcess(
  more: () => Readonly<Record<string, unknown>> = () => ({}),
): (settleMs?: number) => Promise<readonly string[]> {
  const record = timersOfProcess();
  record.clear();
  const values = (): Values => new Map([...processValues(), ...Object.entries(more())]);
  const before = values();
  const handles = new Set(openHandles());
  const resources = (): readonly string[] => [
    ...openHandles().flatMap((handle) => (handles.has(handle) ? [] : (describeHandle(handle) ?? []))),
    ...record.running(),
  ];
  return async (settleMs = SETTLE_MS) => {
    const changed = changedValues(before, values());
    let open = resources();
    for (let waitedMs = 0; open.length > 0 && waitedMs < settleMs; waitedMs += POLL_MS) {
      // Neither recorded nor replaced by fake timers.
      await setTimeout(POLL_MS);
      open = resources();
    }
    return [...changed, ...open];
  };
}
