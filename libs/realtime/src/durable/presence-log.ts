import type { App, AppRegistry } from '@carillon/app-registry';
import type { Channels, PresenceHistoryPolicy } from '@carillon/channels';
import type { CommitRecordOf } from '@carillon/contracts';
import type { LeaveCause, PresenceChange } from '@carillon/presence';
import { isCommitted, uuidV7, type Commits } from '@carillon/history-publish';
import { Claims } from './claims.js';
import type { StreamReads } from './stream-reads.js';

/** Dependencies of `PresenceLog`. */
export interface PresenceLogParts {
  readonly apps: Pick<AppRegistry, 'findById' | 'peekById'>;
  readonly channels: Channels;
  readonly commits: Pick<Commits, 'commit'>;
  /** Null if the retained part of a stream cannot be read. */
  readonly reads: Pick<StreamReads, 'heads'> | null;
  readonly nodeId: () => string;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Called when a change is given up. */
  readonly lost: (appId: string) => void;
}

/** Limit of waiting transitions; beyond it the oldest is given up. */
export const MAX_WAITING = 10_000;
const AGAIN_MS = 1000;
/** Delay after which a waiting transition marks its history as behind, and after which it is given up. */
const LAGGING_MS = 30_000;
const GIVE_UP_MS = 60_000;

interface Waiting {
  readonly record: CommitRecordOf<'presence'>;
  readonly sinceMs: number;
  timer: NodeJS.Timeout | null;
  /** Whether it was given up, because the limit was reached or the process stops. */
  isOver: boolean;
}

/**
 * Commits changes of presence channels with a history, in the background: presence itself is decided already and
 * never waits for it. A change is retried under the same id until it is committed or given up; then the history is
 * marked incomplete.
 */
export class PresenceLog {
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();
  readonly #claims: Claims;

  constructor(private readonly parts: PresenceLogParts) {
    this.#claims = new Claims(parts);
  }

  /** Number of uncommitted changes. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Never throws. Changes of an app whose record is not loaded are logged as soon as it is. */
  changed(app: App | string, change: PresenceChange): void {
    const known = typeof app === 'string' ? this.parts.apps.peekById(app) : app;
    if (known !== undefined) this.#keep(known, change);
    else void this.#find(change);
  }

  /** Gives up the waiting changes. */
  stop(): void {
    for (const one of this.#waiting) this.#end(one);
    this.#claims.stop();
  }

  async #find(change: PresenceChange): Promise<void> {
    try {
      const app = await this.parts.apps.findById(change.appId);
      if (app !== null) this.#keep(app, change);
    } catch (error) {
      this.parts.onTrouble('app of a presence change', error);
    }
  }

  #keep(app: App, change: PresenceChange): void {
    const channel = this.parts.channels.subscription(app, change.channel, 2);
    if (!channel.accepted || !channel.policy.presenceHistory.enabled) return;
    const record = recordOf(change, channel.policy.presenceHistory);
    const [oldest] = this.#waiting;
    if (this.#waiting.size >= MAX_WAITING && oldest !== undefined) this.#giveUp(oldest);
    const one: Waiting = { record, sinceMs: performance.now(), timer: null, isOver: false };
    this.#waiting.add(one);
    void this.#send(one);
  }

  async #send(one: Waiting): Promise<void> {
    one.timer = null;
    const isDone = await this.#commit(one);
    if (one.isOver) return;
    const waitedMs = performance.now() - one.sinceMs;
    if (isDone) {
      this.#end(one);
      this.#claims.committed(one.record);
    } else if (waitedMs >= GIVE_UP_MS) {
      this.#giveUp(one);
    } else {
      if (waitedMs >= LAGGING_MS) this.#claims.lagging(one.record);
      one.timer = setTimeout(() => void this.#send(one), AGAIN_MS).unref();
    }
  }

  /** Returns whether the change is settled. */
  async #commit({ record }: Waiting): Promise<boolean> {
    try {
      const [result] = await this.parts.commits.commit([record]);
      if (isCommitted(result)) return true;
      if (result?.status !== 'rejected' || isPassing(result.code)) return false;
      this.parts.onTrouble('presence change', new Error(result.error ?? 'rejected'));
      return true;
    } catch (error) {
      this.parts.onTrouble('presence change', error);
      return false;
    }
  }

  #giveUp(one: Waiting): void {
    this.#end(one);
    this.parts.lost(one.record.app_id);
    this.#claims.lost(one.record);
  }

  #end(one: Waiting): void {
    if (one.isOver) return;
    one.isOver = true;
    if (one.timer !== null) clearTimeout(one.timer);
    this.#waiting.delete(one);
  }
}

/** Whether a later attempt may succeed. */
export const isPassing = (code: unknown): boolean =>
  code === 'service_unavailable' || code === 'backpressure';

const CAUSES: Readonly<Record<LeaveCause, CommitRecordOf<'presence'>['cause']>> = {
  left: 'disconnect',
  connection_lost: 'timeout',
  forced_disconnect: 'forced_disconnect',
  orphan_cleanup: 'orphan_cleanup',
};

/** Returns the record of a change; each call generates a new id. */
export function recordOf(change: PresenceChange, policy: PresenceHistoryPolicy): CommitRecordOf<'presence'> {
  return {
    op: 'presence',
    pub_id: uuidV7(),
    app_id: change.appId,
    channel: change.channel,
    transition_no: change.serial,
    policy: {
      history_ms: finite(policy.retentionWindowSeconds * 1000),
      versions_ms: null,
      max_messages: finite(policy.maxEvents),
      max_bytes: finite(policy.maxBytes),
      versioned: false,
      cache: false,
      ai: null,
    },
    ...transitionOf(change),
  };
}

function transitionOf(
  change: PresenceChange,
): Pick<
  CommitRecordOf<'presence'>,
  'cause' | 'connection_id' | 'dead_node_id' | 'event' | 'user_id' | 'user_info'
> {
  if (change.kind === 'removed')
    return {
      event: 'member_removed',
      cause: CAUSES[change.cause],
      user_id: change.userId,
      ...(change.cameBy === '' ? {} : { connection_id: change.cameBy }),
      ...(change.deadNodeId === undefined ? {} : { dead_node_id: change.deadNodeId }),
    };
  const { member, socketId } = change;
  return {
    event: change.kind === 'added' ? 'member_added' : 'member_updated',
    cause: 'join',
    user_id: member.userId,
    connection_id: socketId,
    user_info: JSON.parse(member.userInfoText),
  };
}

const finite = (bound: number): number | null => (Number.isSafeInteger(bound) ? bound : null);
