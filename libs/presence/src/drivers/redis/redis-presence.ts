import { inGroups } from '../../cluster/in-groups.js';
import { type ShardName, shardTag } from '../../cluster/keys.js';
import type { Ledger, ShardKeeper } from '../../cluster/ledger.js';
import type { Reaped } from '../../cluster/operation.js';
import type { OwedEntry } from '../../cluster/owed-entry.js';
import type { Shard } from '../../cluster/shard.js';
import { unavailable } from '../../cluster/store.js';
import { ONLINE_USERS } from '../../online-users.js';
import type {
  JoinOutcome,
  LeaveCause,
  Member,
  Owed,
  Owing,
  Presence,
  PresenceChange,
  PresenceObserver,
  PresencePlace,
  PresenceView,
  Presentation,
} from '../../port.js';
import { Joining, LeavingConnection, membersOf, Updating } from './connection-intents.js';
import { Place, type PlaceSurroundings, removal } from './place.js';

/** Options of a `RedisPresence`. */
export interface RedisPresenceOptions {
  readonly ledger: Ledger;
  /** Called when the observer throws; the change is kept and not reported again. Must not throw. */
  readonly onObserverFault: (error: unknown, change: PresenceChange) => void;
  /** Default 100 000. */
  readonly maxLeases?: number;
}

const MAX_LEASES = 100_000;

const shardOf = ({ appId, channel }: PresencePlace): ShardName => ({
  kind: 'members',
  appId,
  name: channel,
});

/**
 * Drivers `redis` and `redis-cluster`: the users of all processes, in the shared store. This process remembers only
 * its own connections. While the store is unavailable, all operations are refused; leaves are completed when it
 * recovers.
 */
export class RedisPresence implements Presence, ShardKeeper {
  readonly #ledger: Ledger;
  readonly #onObserverFault: RedisPresenceOptions['onObserverFault'];
  readonly #around: PlaceSurroundings;
  readonly #places = new Map<string, Place>();
  #observer: PresenceObserver | null = null;
  #mended: () => void = () => undefined;
  #owing: Owing | null = null;
  #isClosed = false;

  constructor({ ledger, onObserverFault, maxLeases = MAX_LEASES }: RedisPresenceOptions) {
    this.#ledger = ledger;
    this.#onObserverFault = onObserverFault;
    this.#around = {
      time: ledger,
      tell: (change) => this.#tell(change),
      leases: { count: 0, most: maxLeases },
    };
    ledger.keep('members', this);
  }

  /** Leases that run on this process. */
  get leases(): number {
    return this.#around.leases.count;
  }

  observe(observer: PresenceObserver, mended: () => void = () => undefined, owing?: Owing): void {
    if (this.#observer !== null) throw new Error('presence has its observer already');
    this.#observer = observer;
    this.#mended = mended;
    this.#owing = owing ?? null;
  }

  async join(presentation: Presentation, maxMembers: number): Promise<JoinOutcome> {
    const [place, shard] = this.#at(presentation);
    return new Promise((resolve, reject) => {
      shard.add(new Joining(place, presentation, maxMembers, shard, { resolve, reject }));
    });
  }

  async leave(
    connection: Omit<Presentation, 'userInfoText'>,
    leaseMs: number,
    cause: LeaveCause,
    lastWords?: string,
  ): Promise<void> {
    const [place, shard] = this.#at(connection);
    return new Promise((resolve, reject) => {
      const parting = { leaseMs, cause, lastWords };
      shard.add(new LeavingConnection(place, connection, parting, { resolve, reject }));
    });
  }

  async update(presentation: Presentation): Promise<boolean> {
    const [place, shard] = this.#at(presentation);
    return new Promise((resolve, reject) => {
      shard.add(new Updating(place, presentation, { resolve, reject }));
    });
  }

  async members(place: PresencePlace): Promise<readonly Member[]> {
    return this.#ask(async (store) => membersOf(await store.subjects(shardOf(place))));
  }

  async look(place: PresencePlace, userIds?: readonly string[]): Promise<PresenceView> {
    return this.#ask(async (store) => {
      const { reply, serial } = await store.look(shardOf(place), userIds ?? null);
      return { members: membersOf(reply), serial };
    });
  }

  async memberCounts(appId: string, channels: readonly string[]): Promise<readonly number[]> {
    return this.#ask((store) => inGroups(channels, (channel) => store.size(shardOf({ appId, channel }))));
  }

  async present(place: PresencePlace, userIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#ask(async (store) => {
      const records = await store.records(shardOf(place), userIds);
      return new Set(userIds.filter((_, at) => (records[at] ?? null) !== null));
    });
  }

  async health(): Promise<string | null> {
    return this.#isClosed ? 'presence is closed' : this.#ledger.store.health();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#ledger.close();
  }

  known(name: ShardName): void {
    this.#at({ appId: name.appId, channel: name.name });
  }

  forgotten(name: ShardName): void {
    this.#places.delete(shardTag(name));
  }

  reaped({ appId, name: channel }: ShardName, changes: readonly Reaped[], deadNodeId: string): void {
    for (const { outcome, subject: userId, payload, cause, cameBy, serial, owed } of changes) {
      if (outcome !== 'removed') continue;
      const gone = { userId, cause: cause as LeaveCause, payload, cameBy, serial, ...(owed && { owed }) };
      this.#tell({ ...removal({ appId, channel }, gone), deadNodeId });
    }
  }

  isOwed({ appId, name: channel }: ShardName): boolean {
    return channel !== ONLINE_USERS && this.#owing?.isOwed(appId, channel) === true;
  }

  owed({ appId, name: channel }: ShardName, entry: OwedEntry, owed: Owed): void {
    const { outcome: kind, subject: userId, serial } = entry;
    this.#owing?.recovered({ kind, appId, channel, userId, serial, owed });
  }

  saidAgain(): void {
    this.#mended();
  }

  /** Returns the part of this process in a place. */
  #at(where: PresencePlace): [Place, Shard] {
    if (this.#isClosed) throw unavailable(new Error('presence is closed'));
    const { appId, channel } = where;
    const name = shardOf({ appId, channel });
    const tag = shardTag(name);
    const known = this.#places.get(tag);
    if (known !== undefined) return [known, this.#ledger.shard(name, known)];
    const place: Place = new Place({ appId, channel }, this.#around, () => this.#ledger.shard(name, place));
    this.#places.set(tag, place);
    return [place, this.#ledger.shard(name, place)];
  }

  async #ask<Answer>(ask: (store: Ledger['store']) => Promise<Answer>): Promise<Answer> {
    if (this.#isClosed) throw unavailable(new Error('presence is closed'));
    try {
      return await ask(this.#ledger.store);
    } catch (error) {
      throw unavailable(error);
    }
  }

  #tell(change: PresenceChange): void {
    try {
      this.#observer?.(change);
    } catch (error) {
      this.#onObserverFault(error, change);
    }
  }
}
