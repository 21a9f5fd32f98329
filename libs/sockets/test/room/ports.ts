import type { Answer, Broker, BrokerListener, Gathered, LiveEvent, Question } from '@carillon/broker';
import type {
  ChannelCount,
  ChannelCountObserver,
  ChannelCounts,
  ConnectionQuota,
  JoinOutcome,
  LeaveCause,
  Member,
  Presence,
  PresenceObserver,
  PresencePlace,
  PresenceView,
  Presentation,
} from '@carillon/presence';
import type { LastEvent, LastEvents } from '@carillon/history-publish';

/** Something to wait for until it is let go or fails. */
export class Hold {
  readonly settled: Promise<void>;
  #release: () => void = () => {};
  #fail: (error: Error) => void = () => {};

  constructor() {
    this.settled = new Promise((resolve, reject) => {
      this.#release = resolve;
      this.#fail = reject;
    });
    this.settled.catch(() => {});
  }

  release(): void {
    this.#release();
  }

  fail(error: Error = new Error('out of reach')): void {
    this.#fail(error);
  }
}

/** A broker that counts subscriptions and confirms them on demand. */
export class TestBroker implements Broker {
  /** Wanted now: `app channel`. Never wanted twice. */
  readonly interest = new Set<string>();
  /** Every call of subscribe and unsubscribe. */
  readonly calls: string[] = [];
  readonly mistakes: string[] = [];
  /** Hold of the confirmation of a channel; null: immediate. */
  confirm: (channel: string) => Hold | null = () => null;
  /** Hold of a publish beyond this process; null: none. */
  reach: (event: LiveEvent) => Hold | null = () => null;

  /** Listener of this process; null: none yet. */
  listener: BrokerListener | null = null;

  constructor(private readonly local: Broker) {}

  get nodeId(): string {
    return this.local.nodeId;
  }

  listen(listener: BrokerListener): void {
    this.listener = listener;
    this.local.listen(listener);
  }

  publish(event: LiveEvent): Promise<void> | undefined {
    void this.local.publish(event);
    return this.reach(event)?.settled;
  }

  subscribe(appId: string, channel: string): Promise<void> | undefined {
    const what = `${appId} ${channel}`;
    this.calls.push(`+${channel}`);
    if (this.interest.has(what)) this.mistakes.push(`${what} is wanted twice`);
    this.interest.add(what);
    return this.confirm(channel)?.settled;
  }

  unsubscribe(appId: string, channel: string): void {
    const what = `${appId} ${channel}`;
    this.calls.push(`-${channel}`);
    if (!this.interest.delete(what)) this.mistakes.push(`${what} was not wanted`);
  }

  readonly peers: readonly string[] = [];

  askNode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** Counted among the interest under this name, which no channel has. */
  subscribeAll(appId: string): Promise<void> | undefined {
    return this.subscribe(appId, '*');
  }

  unsubscribeAll(appId: string): void {
    this.unsubscribe(appId, '*');
  }

  tellAppChanged(): undefined {}

  tellTokensRevoked(): undefined {}

  ask<Kind extends keyof Question>(
    kind: Kind,
    appId: string,
    about: Question[Kind],
  ): Promise<Gathered<Kind> & { readonly answer: Answer[Kind] }> {
    return this.local.ask(kind, appId, about);
  }

  health(): Promise<string | null> {
    return this.local.health();
  }

  close(): Promise<void> {
    return this.local.close();
  }
}

/** A presence that may take its time before it decides on a join, and until its answer arrives. */
export class TestPresence implements Presence {
  beforeJoin: (presentation: Presentation) => Promise<void> | undefined = () => undefined;
  afterJoin: (presentation: Presentation) => Promise<void> | undefined = () => undefined;
  /** Called when the store returned and received everything again. */
  mended: () => void = () => undefined;
  /** Every requested join and leave. */
  readonly calls: string[] = [];
  readonly leaves: { readonly userId: string; readonly leaseMs: number; readonly cause: LeaveCause }[] = [];

  constructor(private readonly memory: Presence) {}

  observe(observer: PresenceObserver, mended: () => void = () => undefined): void {
    this.mended = mended;
    this.memory.observe(observer);
  }

  async join(presentation: Presentation, maxMembers: number): Promise<JoinOutcome> {
    this.calls.push(`+${presentation.channel} ${presentation.userId}`);
    const before = this.beforeJoin(presentation);
    if (before !== undefined) await before;
    const outcome = this.memory.join(presentation, maxMembers);
    const after = this.afterJoin(presentation);
    if (after !== undefined) await after;
    return outcome;
  }

  leave(
    connection: Omit<Presentation, 'userInfoText'>,
    leaseMs: number,
    cause: LeaveCause,
    lastWords?: string,
  ): Promise<void> {
    this.calls.push(`-${connection.channel} ${connection.userId}`);
    this.leaves.push({ userId: connection.userId, leaseMs, cause });
    return this.memory.leave(connection, leaseMs, cause, lastWords);
  }

  update(presentation: Presentation): Promise<boolean> {
    return this.memory.update(presentation);
  }

  look(place: PresencePlace, userIds?: readonly string[]): Promise<PresenceView> {
    return this.memory.look(place, userIds);
  }

  members(place: PresencePlace): Promise<readonly Member[]> {
    return this.memory.members(place);
  }

  memberCounts(appId: string, channels: readonly string[]): Promise<readonly number[]> {
    return this.memory.memberCounts(appId, channels);
  }

  present(place: PresencePlace, userIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.memory.present(place, userIds);
  }

  health(): Promise<string | null> {
    return this.memory.health();
  }

  close(): Promise<void> {
    return this.memory.close();
  }
}

/** Last events that may take their time to be read, before and after they are looked up. */
export class TestLastEvents implements LastEvents {
  beforeRead: (channel: string) => Promise<void> | undefined = () => undefined;
  afterRead: (channel: string) => Promise<void> | undefined = () => undefined;

  constructor(private readonly stored: LastEvents) {}

  async read(appId: string, channel: string): Promise<LastEvent | null> {
    const before = this.beforeRead(channel);
    if (before !== undefined) await before;
    const read = this.stored.read(appId, channel);
    const after = this.afterRead(channel);
    if (after !== undefined) await after;
    return read;
  }
}

/** Counts of this process, plus those a test sets for others. */
export class TestCounts implements ChannelCounts {
  /** Subscribers in other processes, by channel. */
  readonly others = new Map<string, number>();
  readonly #here = new Map<string, number>();
  #observer: ChannelCountObserver = () => {};
  #serial = 0;

  observe(observer: ChannelCountObserver): void {
    this.#observer = observer;
  }

  async set(appId: string, channel: string, connections: number): Promise<number> {
    const before = this.#count(channel);
    this.#here.set(channel, connections);
    this.tell(appId, channel, before);
    return this.#count(channel);
  }

  /** Reports a change from the previous count. */
  tell(appId: string, channel: string, before: number): void {
    const count = this.#count(channel);
    const kind = before === 0 ? 'occupied' : count === 0 ? 'vacated' : 'counted';
    this.#observer({ kind, appId, channel, count, serial: (this.#serial += 1) });
  }

  async counts(_appId: string, channels: readonly string[]): Promise<readonly number[]> {
    return channels.map((channel) => this.#count(channel));
  }

  async look(_appId: string, channels: readonly string[]): Promise<readonly ChannelCount[]> {
    return channels.map((channel) => ({ count: this.#count(channel), serial: this.#serial }));
  }

  async occupied(): Promise<ReadonlyMap<string, number>> {
    return this.#here;
  }

  #count(channel: string): number {
    return (this.#here.get(channel) ?? 0) + (this.others.get(channel) ?? 0);
  }
}

/** Slots taken in this process, each after a delay. */
export class TestQuota implements ConnectionQuota {
  taken = 0;
  /** Number of requested slots. */
  asked = 0;
  /** Number of returned slots. */
  given = 0;
  /** Hold of the next decisions; null: none. */
  hold: Hold | null = null;

  async take(_appId: string, limit: number): Promise<boolean> {
    this.asked += 1;
    await this.hold?.settled;
    if (this.taken >= limit) return false;
    this.taken += 1;
    return true;
  }

  release(): void {
    this.given += 1;
    this.taken -= 1;
  }
}
