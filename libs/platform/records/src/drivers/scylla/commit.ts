import { randomBytes } from 'node:crypto';
import { type ScyllaRow, type ScyllaSession, ScyllaUnavailable, type Statement } from '@carillon/scylla';
import { type Commit, type Condition, RecordsUnavailable } from '../../port.js';
import { checkRow, deleteRow, type Expectation, putRow, selectStates } from './statements.js';

/** An attempt is repeated only if an expired row was found or its outcome was unknown, so few are needed. */
const MAX_ATTEMPTS = 5;

/** A stored row as conditions see it. */
interface RowState {
  readonly version: bigint;
  readonly expiresAt: bigint;
  readonly commitId: Buffer | null;
}

/**
 * One commit as a conditional batch of one partition (a light-weight transaction).
 * The outcome of a batch may be unknown: the server gave up during the vote of the replicas, or the connection was
 * lost. A serial read then resolves it. The rows of the commit carry its id, which shows whether it applied.
 */
export class ScyllaCommit {
  readonly #id = randomBytes(16);
  readonly #changed: ReadonlySet<string>;
  #isInDoubt = false;

  constructor(
    private readonly session: Pick<ScyllaSession, 'applyIf' | 'read'>,
    private readonly table: string,
    private readonly commit: Commit,
    private readonly nowMs: () => number,
  ) {
    this.#changed = new Set([...commit.puts.map(({ sort }) => sort), ...commit.deletes]);
  }

  /** Resolves with false, without a change, if a condition does not hold. */
  async run(): Promise<boolean> {
    let states: ReadonlyMap<string, RowState> = new Map();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const outcome = await this.#attempt(states);
      if (outcome === 'applied') return true;
      if (outcome === 'refused' && !this.#isInDoubt && !this.#expectsAbsence()) return false;
      states = await this.#settledStates();
      if (this.#isApplied(states)) return true;
      const isHolding = this.commit.conditions.every((condition) => this.#holds(condition, states));
      if (!isHolding && (!this.#isInDoubt || this.#isOvertaken(states))) return false;
      if (this.#isInDoubt && !(isHolding && this.#isRepeatable())) {
        throw new RecordsUnavailable('the outcome of the commit is unknown');
      }
    }
    throw new RecordsUnavailable(`the commit did not apply in ${MAX_ATTEMPTS} attempts under contention`);
  }

  async #attempt(states: ReadonlyMap<string, RowState>): Promise<'applied' | 'refused' | 'in doubt'> {
    try {
      return (await this.session.applyIf(this.#statements(states))) ? 'applied' : 'refused';
    } catch (thrown) {
      if (!(thrown instanceof ScyllaUnavailable)) throw thrown;
      this.#isInDoubt = true;
      return 'in doubt';
    }
  }

  /** @param states Rows of the last read: an absent row is expected to be as it was then, if it was expired. */
  #statements(states: ReadonlyMap<string, RowState>): Statement[] {
    const { table, commit } = this;
    const { partition } = commit;
    const nowMs = this.nowMs();
    const expectations = new Map(
      commit.conditions.map(({ sort, version }) => [sort, expectationOf(version, states.get(sort), nowMs)]),
    );
    const puts = commit.puts.map((row) =>
      putRow(table, { ...row, partition }, nowMs, this.#id, expectations.get(row.sort)),
    );
    const deletes = commit.deletes.map((sort) =>
      deleteRow(table, { partition, sort }, expectations.get(sort)),
    );
    const checks = [...expectations]
      .filter(([sort]) => !this.#changed.has(sort))
      .map(([sort, expectation]) => checkRow(table, { partition, sort }, expectation));
    return [...puts, ...deletes, ...checks];
  }

  async #settledStates(): Promise<ReadonlyMap<string, RowState>> {
    try {
      return await this.#states();
    } catch (thrown) {
      // Contention interrupts serial reads as well as writes.
      if (!(thrown instanceof ScyllaUnavailable)) throw thrown;
      return this.#states();
    }
  }

  /** Serial: attempts of unknown outcome are completed, or can no longer apply. */
  async #states(): Promise<ReadonlyMap<string, RowState>> {
    const { partition, conditions, puts } = this.commit;
    const sorts = new Set([...conditions, ...puts].map(({ sort }) => sort));
    const { rows } = await this.session.read(selectStates(this.table, partition, [...sorts]), {
      isSerial: true,
    });
    return new Map(rows.map((row) => [String(row['sort']), stateOf(row)]));
  }

  #isApplied(states: ReadonlyMap<string, RowState>): boolean {
    return [...states.values()].some(({ commitId }) => commitId?.equals(this.#id) === true);
  }

  #holds({ sort, version }: Condition, states: ReadonlyMap<string, RowState>): boolean {
    const state = states.get(sort);
    const exists = state !== undefined && state.expiresAt > BigInt(this.nowMs());
    return version === null ? !exists : exists && state.version === BigInt(version);
  }

  #expectsAbsence(): boolean {
    return this.commit.conditions.some(({ version }) => version === null);
  }

  /** Another commit has given a row the version that this one would have given it, so this one has not applied. */
  #isOvertaken(states: ReadonlyMap<string, RowState>): boolean {
    const { conditions, puts } = this.commit;
    const conditioned = new Set(conditions.map(({ sort }) => sort));
    return puts.some(
      ({ sort, version }) => conditioned.has(sort) && states.get(sort)?.version === BigInt(version),
    );
  }

  /** A condition on a changed row holds only if the commit has not applied. */
  #isRepeatable(): boolean {
    return this.commit.conditions.some(({ sort }) => this.#changed.has(sort));
  }
}

function expectationOf(version: number | null, state: RowState | undefined, nowMs: number): Expectation {
  if (version !== null) return { kind: 'version', version: BigInt(version), nowMs };
  return state === undefined ? { kind: 'none' } : { kind: 'expired', ...state };
}

const stateOf = (row: ScyllaRow): RowState => ({
  version: row['version'] as bigint,
  expiresAt: row['expires_at'] as bigint,
  commitId: row['commit_id'] as Buffer | null,
});
