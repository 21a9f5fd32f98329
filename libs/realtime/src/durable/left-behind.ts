import type { AppRegistry } from '@carillon/app-registry';
import type { Channels } from '@carillon/channels';
import type { CommitRecordOf } from '@carillon/contracts';
import type { MembersQuery, MemberThere, PresentMembers } from '@carillon/history-store';
import { isCommitted, type Commits } from '@carillon/history-publish';
import { pause } from '@carillon/runtime';
import { isPassing, recordOf } from './presence-log.js';

/** Dependencies of `LeftBehind`. */
export interface LeftBehindParts {
  readonly store: PresentMembers;
  readonly apps: Pick<AppRegistry, 'findById'>;
  readonly channels: Channels;
  readonly commits: Pick<Commits, 'commit'>;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Called with the number of removed members, if any. */
  readonly done: (members: number) => void;
  /** Sleeps; ends early when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const AT_ONCE = 200;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** Failed attempts that are not reported, about half a minute: a store that is starting reports so itself. */
const QUIET_TRIES = 5;

/**
 * Writes leave events to presence histories for members of a process that crashed; for a single process, where no
 * other node can. The events have serials below every change of this process, so members that rejoined meanwhile
 * stay. Channels without a history and deleted apps are left unchanged.
 */
export class LeftBehind {
  readonly #stopping = new AbortController();
  /** Serial below those of this process; serials of presence changes begin at the time in microseconds. */
  readonly #serial = Math.floor(performance.timeOrigin) * 1000;
  #after: MembersQuery['after'] = null;
  #removed = 0;

  constructor(private readonly parts: LeftBehindParts) {}

  stop(): void {
    this.#stopping.abort();
  }

  /** Never rejects: retries until it is done or stopped. */
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

  /** Null if the app was deleted or the channel no longer has a presence history. */
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
