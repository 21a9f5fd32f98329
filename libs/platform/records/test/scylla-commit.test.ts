import {
  type RowPage,
  type ScyllaRow,
  type ScyllaSession,
  ScyllaUnavailable,
  type Statement,
} from '@carillon/scylla';
import { describe, expect, it } from 'vitest';
import { ScyllaCommit } from '../src/drivers/scylla/commit.js';
import { KeyedQueue } from '../src/drivers/scylla/keyed-queue.js';
import { NEVER } from '../src/drivers/scylla/statements.js';
import { type Commit, RecordsUnavailable } from '../src/index.js';
import { commitOf, row } from './backend.js';

const OTHER_ID = Buffer.alloc(16, 1);
const APPEND = commitOf({ conditions: [{ sort: 'head', version: 4 }], puts: [row('head', 5), row('e5')] });

const stored = (sort: string, version: number, commitId: Buffer = OTHER_ID): ScyllaRow => ({
  sort,
  version: BigInt(version),
  expires_at: NEVER,
  commit_id: commitId,
});

type Answer = boolean | 'lost';

/** A server that answers writes and serial reads in this order, the last answer again and again. */
class ScriptedSession implements Pick<ScyllaSession, 'applyIf' | 'read'> {
  readonly writes: (readonly Statement[])[] = [];

  constructor(
    private readonly answers: Answer[],
    private readonly states: (((id: Buffer) => ScyllaRow[]) | 'lost')[] = [],
  ) {}

  async applyIf(statements: readonly Statement[]): Promise<boolean> {
    this.writes.push(statements);
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    if (answer === 'lost' || answer === undefined) throw new ScyllaUnavailable('lost');
    return answer;
  }

  async read(): Promise<RowPage> {
    const state = this.states.length > 1 ? this.states.shift() : this.states[0];
    if (state === 'lost' || state === undefined) throw new ScyllaUnavailable('lost');
    const id = this.writes[0]?.[0]?.params.find((param) => Buffer.isBuffer(param));
    return { rows: state(id as Buffer), pageState: null };
  }
}

const run = (session: ScriptedSession, commit: Commit = APPEND): Promise<boolean> =>
  new ScyllaCommit(session, 'records', commit, () => 1000).run();

describe('a commit of unknown outcome', () => {
  it('has applied if a row carries its id', async () => {
    const session = new ScriptedSession(['lost'], [(id) => [stored('head', 6), stored('e5', 1, id)]]);
    expect(await run(session)).toBe(true);
    expect(session.writes).toHaveLength(1);
  });

  it('is repeated if its condition on a changed row still holds', async () => {
    const session = new ScriptedSession(['lost', true], [() => [stored('head', 4)]]);
    expect(await run(session)).toBe(true);
    expect(session.writes).toHaveLength(2);
  });

  it('has not applied if another commit wrote the same version', async () => {
    expect(await run(new ScriptedSession(['lost'], [() => [stored('head', 5)]]))).toBe(false);
  });

  it('stays unknown if later commits have replaced its rows', async () => {
    const session = new ScriptedSession(['lost'], [() => [stored('head', 7)]]);
    await expect(run(session)).rejects.toThrow(
      new RecordsUnavailable('the outcome of the commit is unknown'),
    );
  });

  it('stays unknown if its conditions are on unchanged rows alone', async () => {
    const commit = commitOf({ conditions: [{ sort: 'head', version: 4 }], puts: [row('e5')] });
    const session = new ScriptedSession(['lost'], [() => [stored('head', 4)]]);
    await expect(run(session, commit)).rejects.toThrow(RecordsUnavailable);
    expect(session.writes).toHaveLength(1);
  });

  it('is settled by a second read if the first is interrupted', async () => {
    const session = new ScriptedSession(['lost'], ['lost', (id) => [stored('head', 5, id)]]);
    expect(await run(session)).toBe(true);
  });

  it('ends as unavailable if the server does not answer reads, or each repetition is lost', async () => {
    await expect(run(new ScriptedSession(['lost'], ['lost']))).rejects.toThrow('lost');
    const session = new ScriptedSession(['lost'], [() => [stored('head', 4)]]);
    await expect(run(session)).rejects.toThrow('did not apply in 5 attempts');
  });

  it('is checked by its id also if a repetition is refused', async () => {
    const states = [() => [stored('head', 4)], (id: Buffer) => [stored('head', 5, id)]];
    expect(await run(new ScriptedSession(['lost', false], states))).toBe(true);
  });
});

describe('a refused commit', () => {
  it('is not repeated if all its conditions are on versions', async () => {
    const session = new ScriptedSession([false]);
    expect(await run(session)).toBe(false);
    expect(session.writes).toHaveLength(1);
  });

  it('is repeated over the expired row that it expects to be absent', async () => {
    const expired = { ...stored('head', 3), expires_at: 999n };
    const session = new ScriptedSession([false, true], [() => [expired]]);
    const commit = commitOf({ conditions: [{ sort: 'head', version: null }], puts: [row('head', 1)] });
    expect(await run(session, commit)).toBe(true);
    expect(session.writes[1]?.[0]?.query).toMatch(/IF version = \? AND expires_at = \?$/);
    expect(session.writes[1]?.[0]?.params.slice(-2)).toEqual([3n, 999n]);
  });
});

describe('KeyedQueue', () => {
  it('runs tasks of one key in order, also after a failure, and others concurrently', async () => {
    const queue = new KeyedQueue();
    const events: string[] = [];
    const task =
      (name: string, isFailing = false) =>
      async (): Promise<string> => {
        events.push(`${name} begins`);
        await Promise.resolve();
        events.push(`${name} ends`);
        if (isFailing) throw new Error(name);
        return name;
      };
    const outcomes = await Promise.allSettled([
      queue.run('a', task('a1', true)),
      queue.run('a', task('a2')),
      queue.run('b', task('b1')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(events.filter((event) => event.startsWith('a'))).toEqual([
      'a1 begins',
      'a1 ends',
      'a2 begins',
      'a2 ends',
    ]);
    expect(events.indexOf('b1 begins')).toBeLessThan(events.indexOf('a1 ends'));
  });
});
