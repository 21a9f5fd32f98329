// Every process this run has started, so that none outlives it.

/** @type {Map<number, () => void>} how to end each at once, by process id */
const alive = new Map();

/**
 * Remembers a child until it has ended.
 * @param {import('node:child_process').ChildProcess} child
 * @param {() => void} kill ends it, and all it started, at once
 */
export function remember(child, kill) {
  const { pid } = child;
  if (pid === undefined) return;
  alive.set(pid, kill);
  child.once('exit', () => alive.delete(pid));
}

/** Ends every child that is still there. Safe to call at any moment, also while the process exits. */
export function killAll() {
  for (const kill of alive.values()) {
    try {
      kill();
    } catch {
      // It ended by itself in the meantime.
    }
  }
  alive.clear();
}
