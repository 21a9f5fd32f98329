import type { CompatConnection } from './connection.js';

/** The pending removals of members of disconnected connections. */
export class Removals {
  readonly #pending = new Map<
    CompatConnection,
    { readonly members: number; readonly timer: NodeJS.Timeout }
  >();
  #size = 0;

  /** The number of members to be removed. */
  get size(): number {
    return this.#size;
  }

  /** Schedules the removal of a disconnected connection's members after its remain time. */
  begin(connection: CompatConnection): void {
    let members = 0;
    for (const own of connection.members.values()) members += own.size;
    if (members === 0) return;
    this.#size += members;
    const timer = setTimeout(() => this.end(connection), connection.manner.remainMs).unref();
    this.#pending.set(connection, { members, timer });
  }

  /** Cancels the removals of a connection that was resumed or whose members have left. */
  end(connection: CompatConnection): void {
    const pending = this.#pending.get(connection);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    this.#pending.delete(connection);
    this.#size -= pending.members;
  }
}
