import type { OrdinaryChannel } from '@carillon/channels';
import type { ChannelFact, Fact, Message, StateFact } from '@carillon/protocol';
import type { LoopShare } from '@carillon/runtime';
import type { AppHub } from '../apps/app-hub.js';
import type { AppendPace } from '../appends/append-pace.js';
import type { Told } from '../appends/told.js';
import { frameBytes, Frames } from '../codec.js';
import type { Roster } from '../state/roster.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { Audience, Ways } from './audience.js';
import { CountNews } from './count-news.js';
import { DeferredMessages } from './deferred-messages.js';
import { SlowConsumerCheck } from './slow-consumer-check.js';
import { SubscriberSet } from './subscriber-set.js';
import { receiversOf, tellOthers } from './still-here.js';
import { isOfCount, isState } from './state-facts.js';

/** A channel with subscribers or pending subscribers in this process, and the delivery of its facts to them. */
export class LocalChannel extends SubscriberSet {
  /** Resolves when other processes send its events here, and rejects if they will not; undefined: they do already. */
  interest: Promise<void> | undefined;
  /** Number of pending subscriptions. */
  openings = 0;
  /** Whether its subscribers are counted over all processes. */
  isCounted = false;
  /** Number of facts delivered to any of them. */
  told = 0;

  readonly #lookout: SlowConsumerCheck;
  /** Null until the first count is delivered. */
  #counts: CountNews | null = null;

  constructor(
    hub: AppHub,
    about: OrdinaryChannel,
    ways: Ways,
    /** The members as known to its subscribers. Null if the channel has no members or there are no other processes. */
    readonly roster: Roster | null = null,
  ) {
    super(hub, about, ways);
    this.#lookout = new SlowConsumerCheck(ways.outlet);
    if (roster !== null) roster.onOverdue = (fact) => this.tell(fact);
  }

  protected get self(): LocalChannel {
    return this;
  }

  /** Makes new subscribers wait until other processes know of the interest in the channel. */
  waitFor(interest: Promise<void>): void {
    this.interest = this.#confirmed(interest);
    // Waiting joins receive the failure; without any it is ignored.
    this.interest.catch(() => {});
  }

  /**
   * A subscriber has received the messages up to this serial by other means: newer appends are not rolled up with
   * older ones.
   */
  seen(serial: number): void {
    this.pacing?.seen(serial);
  }

  /** Delivers throttled appends. */
  flush(): void {
    this.pacing?.flush();
  }

  /**
   * Delivers a fact to all subscribers but one if it is news. Returns the number of receivers; null if it is outdated
   * and was delivered to none.
   */
  deliver(
    fact: ChannelFact,
    exceptSocketId: string | null = null,
    frames: Frames = new Frames(fact),
  ): number | null {
    if (!isState(fact)) return this.tell(fact, exceptSocketId, frames);
    const news = this.#newsOf(fact);
    let receivers: number | null = null;
    for (const one of news) {
      const told = one === fact ? this.tell(one, exceptSocketId, frames) : this.tell(one);
      receivers = (receivers ?? 0) + told;
    }
    return receivers;
  }

  /** Whether this is the last count delivered. */
  knowsCount(count: number): boolean {
    return this.#counts?.knows(count) === true;
  }

  /**
   * Delivers a fact to all subscribers but one, without checking for news. Returns the number of receivers; an
   * audience whose codec has no frame counts for none.
   */
  tell(fact: ChannelFact, exceptSocketId: string | null = null, frames: Frames = new Frames(fact)): number {
    const tell = (): number => this.#tellAll(frames, exceptSocketId);
    const own = fact.kind === 'member_removed' ? this.#ownOf(fact.userId) : [];
    if (fact.kind !== 'member_removed' || own.length === 0) return tell();
    return tellOthers(this, this.ways.outlet, fact, own, tell);
  }

  /**
   * Live events were permanently lost. Reports the gap to subscribers that use positions; null if the channel has no
   * positions.
   */
  lost(gap: Frames | null): void {
    if (gap !== null) this.#tellAll(gap, null);
    // Facts that follow immediately are still delivered: a notified edge may re-attach at the channel's current
    // position.
    queueMicrotask(() => this.#tellEdges());
  }

  #tellEdges(): void {
    // Their codecs may change during the iteration.
    const all = [...this.audiences].flatMap(({ codec: { view }, subscribers }) =>
      [...subscribers].map((subscriber) => ({ subscriber, view })),
    );
    for (const { subscriber, view } of all) subscriber.edge.lost?.(subscriber, this.name, view);
  }

  /**
   * The user's own receiving subscribers. Empty without other processes: then no false departure of a connected user
   * can be reported.
   */
  #ownOf(userId: string): ReturnType<typeof receiversOf> {
    if (this.roster === null) return [];
    return receiversOf(
      this.audiences,
      (one, { view }) => one.subscriptionOf(this)?.userId === userId && !this.isHeld(one, view),
    );
  }

  #tellAll(frames: Frames, exceptSocketId: string | null): number {
    this.told += 1;
    const told: Told = { frames, exceptSocketId };
    if (this.pacing !== null) return this.pacing.take(told);
    const receivers = this.hand(told, null);
    this.holdBack(told, null);
    return receivers;
  }

  /** Delivers to all subscribers of this pace. */
  hand(told: Told, pace: AppendPace | null): number {
    const sender = this.#senderOf(told);
    let receivers = 0;
    for (const audience of this.#selected(told.frames.fact, pace))
      if (audience.pace === pace) receivers += this.#tellOrDefer(audience, told, sender);
    this.#lookout.look(this.audiences);
    if (sender !== null) this.#renewLeftOut(told.frames.fact, sender, pace);
    return receivers;
  }

  /** Returns the audiences that may have a frame of a fact, and counts the subscribers of the others as filtered. */
  #selected(fact: Fact, pace: AppendPace | null): Iterable<Audience> {
    const selected = this.index?.selected(fact) ?? null;
    if (selected === null) return this.audiences;
    let filtered = 0;
    for (const audience of this.audiences)
      if (audience.pace === pace && !selected.has(audience)) filtered += audience.count;
    if (filtered > 0) this.hub.meters.filtered(filtered);
    return selected;
  }

  /**
   * A subscriber that was excluded from a message of its pace cannot continue with the remembered codec state; renews
   * it.
   */
  #renewLeftOut(fact: Fact, sender: Subscriber, pace: AppendPace | null): void {
    const subscription = fact.kind === 'message' ? sender.subscriptionOf(this) : undefined;
    if (subscription === undefined) return;
    const { audience, others } = subscription;
    this.#renewOf(audience, fact as Message, sender, pace);
    for (const other of others) this.#renewOf(other, fact as Message, sender, pace);
  }

  #renewOf(audience: Audience, fact: Message, sender: Subscriber, pace: AppendPace | null): void {
    const { held, remembersClients, view } = audience.codec;
    if (held === undefined || (fact.isFromClient && remembersClients !== true)) return;
    if (audience.pace === pace && isLeftOut(fact, sender, view)) this.renewView(sender, audience);
  }

  /** Holds back a fact from gated subscribers that want appends whole or not; null: regardless. */
  holdBack(told: Told, wholes: boolean | null): void {
    if (this.gates === null) return;
    const sender = this.#senderOf(told);
    this.gates.hold(told.frames, wholes, ({ subscriber, codec }) =>
      subscriber === sender ? isLeftOut(told.frames.fact, sender, codec.view) : false,
    );
  }

  /**
   * Delivers to an audience. If its filter exceeds the budget of this turn, this fact and all later ones for the
   * audience are deferred.
   */
  #tellOrDefer(audience: Audience, told: Told, sender: Subscriber | null): number {
    const { codec } = audience;
    const { filters: share } = this.ways;
    if (codec.isDeferred === undefined || share === undefined)
      return this.#tell(audience, told.frames, sender);
    const isDeferred = codec.isDeferred(told.frames);
    if (!isDeferred && !audience.isBehind) return this.#tell(audience, told.frames, sender);
    (audience.deferred ??= this.#deferredOf(audience, share)).add(told);
    return 0;
  }

  #deferredOf(audience: Audience, share: LoopShare): DeferredMessages<Subscriber> {
    const { meters, appId } = this.hub;
    return new DeferredMessages({
      share,
      appId,
      tell: (told) => {
        const { frames } = told;
        const receivers = this.#tell(audience, frames, this.#senderOf(told));
        const nowMs = performance.timeOrigin + performance.now();
        meters.delivered(this.about.kind, receivers, Math.max(0, nowMs - (frames.atMs ?? nowMs)));
        this.#lookout.look(this.audiences);
      },
      open: (subscriber) => audience.openBehind(subscriber),
      overflow: () => {
        // A subscriber behind a gate loses nothing: the gate holds the messages.
        for (const subscriber of Array.from(audience.subscribers))
          if (audience.receives(subscriber)) this.ways.outlet.overflow(subscriber);
      },
    });
  }

  #tell(audience: Audience, frames: Frames, sender: Subscriber | null): number {
    const { codec } = audience;
    const frame = frames.of(codec);
    if (frame === null) {
      if (codec.filters === true && frames.fact.kind === 'message') this.hub.meters.filtered(audience.count);
      return 0;
    }
    const isLeftOutHere =
      sender !== null && audience.has(sender) && isLeftOut(frames.fact, sender, codec.view);
    if (isLeftOutHere && frames.fact.kind === 'message') this.hub.meters.notEchoed();
    const gated = this.gates?.count(codec.view, (subscriber) => audience.has(subscriber)) ?? 0;
    const held = gated + audience.openings;
    const { tap } = this.hub;
    if (tap !== null) tap.told(audience, frames, isLeftOutHere ? sender : null);
    audience.tell(frame, isLeftOutHere ? sender : null, held);
    this.#lookout.told(frameBytes(frame));
    const receivers = audience.count - Number(isLeftOutHere);
    codec.told?.(frames, Math.max(0, receivers - held), this.hub.appId);
    return receivers;
  }

  protected isKeptFrom(subscriber: Subscriber, told: Told, view: string | undefined): boolean {
    return this.#senderOf(told) === subscriber && isLeftOut(told.frames.fact, subscriber, view);
  }

  /** Returns the subscriber that an event may have to exclude. */
  #senderOf({ exceptSocketId }: Told): Subscriber | null {
    return exceptSocketId === null ? null : this.hub.subscriber(exceptSocketId);
  }

  /** Returns the notifications that follow from a change, in order. */
  #newsOf(fact: StateFact): readonly StateFact[] {
    if (!isOfCount(fact)) return this.roster === null ? [fact] : this.roster.hear(fact);
    this.#counts ??= new CountNews();
    const news = this.#counts.hear(fact);
    return news === null ? [] : [news];
  }

  async #confirmed(interest: Promise<void>): Promise<void> {
    await interest;
    this.interest = undefined;
  }
}

/** A client may want to receive its own messages (echo). */
const isLeftOut = (fact: Fact, sender: Subscriber, view: string | undefined): boolean =>
  fact.kind !== 'message' || !fact.isFromClient || !sender.edge.echoes(sender, fact, view);
