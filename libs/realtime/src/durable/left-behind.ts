import type { AppRegistry } from '@carillon/app-registry';
import type { Channels } from '@carillon/channels';
import type { CommitRecordOf } from '@carillon/contracts';
import type { MembersQuery, MemberThere, PresentMembers } from '@carillon/history-store';
import { isCommitted, type Commits } from '@carillon/history-publish';
import { pause } from '@carillon/runtime';
import { isPassing, recordOf } from './presence-log.js';

/** What taking out those who were left behind works with. */
export interface LeftBehindParts {
  readonly store: PresentMembers;
  readonly apps: Pick<AppRegistry, 'findById'>;
  readonly channels: Channels;
  readonly commits: Pick<Commits, 'commit'>;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Told how many were taken out, if any. */
  readonly done: (members: number) => void;
  /** Waits; ends early when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const AT_ONCE = 200;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** A store that has yet to come up says so itself; after so many tries, half a minute, it is our trouble too. */
const QUIET_TRIES = 5;

/**
 * Takes out of the presence histories whom a process left there that did not stop but died: for a process that is
 * alone, where nobody else can. It numbers what it does below every change of this process, so whoever has come back
 * meanwhile stays. Channels that keep no history any more, and apps that are gone, are left as they are.
 */
export class LeftBehind {
  readonly #stopping = new AbortController();
  /** Of changes before this process: those of presence begin at the time in microseconds. */
  readonly #serial = Math.floor(performance.timeOrigin) * 1000;
  #after: MembersQuery['after'] = null;
  #removed = 0;

  constructor(private readonly parts: LeftBehindParts) {}

  stop(): void {
    this.#stopping.abort();
  }

  /** Never rejects: what fails is tried again until it is done, or stopped. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    const { pause: wait = pause, onTrouble, done } = this.parts;
    let failures = 0;
    for (let waitMs = FIRST_PAUSE_MS; !signal.aborted;) {
      try {
        const members = await this.parts.store.membersThere({ after: this.#after, limit: AT_ONCE });
        failures = QUIET_TRIES;
        if (members?.length === 0) break;
        if (members !== null) {
          await this.#remove(members);
          this.#after = members.at(-1) ?? null;
          waitMs = FIRST_PAUSE_MS;
          continue;
        }
      } catch (error) {
        failures += 1;
        if (failures > QUIET_TRIES) onTrouble('members that were left behind', error);
      }
      await wait(waitMs, signal);
      waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS);
    }
    if (this.#removed > 0) done(this.#removed);
  }

  async #remove(members: readonly MemberThere[]): Promise<void> {
    const records: CommitRecordOf<'presence'>[] = [];
    for (const member of members) {
      const record = await this.#recordOf(member);
      if (record !== null) records.push(record);
    }
    if (records.length === 0) return;
    const results = await this.parts.commits.commit(records);
    for (const result of results) {
      if (isCommitted(result)) this.#removed += 1;
      else if (result.status !== 'rejected' || isPassing(result.code))
        throw new Error('no history writer has taken it');
      else this.parts.onTrouble('a member that was left behind', new Error(result.error ?? 'rejected'));
    }
  }

  /** Null: nobody can see it. */
  async #recordOf({ appId, channel, userId }: MemberThere): Promise<CommitRecordOf<'presence'> | null> {
    const app = await this.parts.apps.findById(appId);
    if (app === null) return null;
    const known = this.parts.channels.subscription(app, channel, 2);
    if (!known.accepted || !known.policy.presenceHistory.enabled) return null;
    const unknown = { userInfoText: null, cameBy: '' } as const;
    const change = { kind: 'removed', appId, channel, userId, ...unknown, cause: 'orphan_cleanup' } as const;
    return recordOf({ ...change, serial: this.#serial }, known.policy.presenceHistory);
  }
}
