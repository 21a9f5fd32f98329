import type { CompatConnection } from './connection.js';

/** Members of connections that were cut, each of whom leaves by itself when its time is over. */
export class Removals {
  readonly #pending = new Map<
    CompatConnection,
    { readonly members: number; readonly timer: NodeJS.Timeout }
  >();
  #size = 0;

  /** How many members are to leave. */
  get size(): number {
    return this.#size;
  }

  /** A connection was cut: its members stay for as long as it has asked for. */
  begin(connection: CompatConnection): void {
    let members = 0;
    for (const own of connection.members.values()) members += own.size;
    if (members === 0) return;
    this.#size += members;
    const timer = setTimeout(() => this.end(connection), connection.manner.remainMs).unref();
    this.#pending.set(connection, { members, timer });
  }

  /** It has come back, or its members have left. */
  end(connection: CompatConnection): void {
    const pending = this.#pending.get(connection);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    this.#pending.delete(connection);
    this.#size -= pending.members;
  }
}
