import { setTimeout } from 'node:timers/promises';
import { isSchemaRefusal, ScyllaRejected } from './failures.js';
import type { ScyllaSession } from './session.js';

export interface TablePlan {
  readonly name: string;
  /** Column with a secondary index. */
  readonly indexed?: string;
  /** Creates the missing table or index; not called if both exist. */
  readonly create: () => Promise<void>;
  /** Statements without effect that need every column, index and permission. */
  readonly probe: () => Promise<void>;
}

/** A node answers that a table does not exist for a moment after another process has created it. */
const SETTLE_MS = 5000;
const PAUSE_MS = 100;

/**
 * Creates the table unless it exists, and proves that it is usable. Concurrent calls of several processes are allowed.
 *
 * @throws ScyllaRejected that names the table, if its columns or the permissions do not allow the probe.
 */
export async function ensureTable(session: ScyllaSession, plan: TablePlan): Promise<void> {
  const deadlineMs = performance.now() + SETTLE_MS;
  for (;;) {
    try {
      if (!(await exists(session, plan))) await plan.create();
      return await plan.probe();
    } catch (thrown) {
      if (!isSchemaRefusal(thrown) || performance.now() >= deadlineMs) throw named(thrown, session, plan);
    }
    await setTimeout(PAUSE_MS);
  }
}

async function exists(session: ScyllaSession, { name, indexed }: TablePlan): Promise<boolean> {
  if (!(await session.hasTable(name))) return false;
  return indexed === undefined || session.hasIndex(name, indexed);
}

function named(thrown: unknown, { settings }: ScyllaSession, { name }: TablePlan): unknown {
  if (!(thrown instanceof ScyllaRejected)) return thrown;
  const text = `table "${name}" of database.scylladb.keyspace "${settings.keyspace}" is not usable`;
  return new ScyllaRejected(`${text}: ${thrown.message}`, { cause: thrown.cause });
}
