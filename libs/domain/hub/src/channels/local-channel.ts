import type { OrdinaryChannel } from '@carillon/channels';
import type { ChannelFact, StateFact } from '@carillon/protocol';
import type { AppHub } from '../apps/app-hub.js';
import type { Pace } from '../appends/pace.js';
import { type AppendWays, Pacing } from '../appends/pacing.js';
import { pacingOf } from '../appends/reach.js';
import type { Told } from '../appends/told.js';
import { type Codec, frameBytes, Frames } from '../codec.js';
import type { Roster } from '../state/roster.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { Audience, type Ways } from './audience.js';
import { allAudiences, audienceOf, type Audiences, withAudience, withoutAudience } from './audiences.js';
import { CountNews } from './count-news.js';
import type { Gate } from './gate.js';
import { Gates } from './gates.js';
import { Lookout } from './lookout.js';
import { receiversOf, tellOthers } from './still-here.js';
import { isOfCount, isState } from './state-facts.js';

/** A channel with subscribers, or somebody about to subscribe, in this process. */
export class LocalChannel {
  /** Settles when other processes send its events here, and rejects when they will not; undefined: they do. */
  interest: Promise<void> | undefined;
  /** Connections that are about to subscribe. */
  openings = 0;
  /** Whether its subscribers are counted over all processes. */
  isCounted = false;
  /** Subscribers of this process. */
  count = 0;
  /** Facts that were told to any of them. */
  told = 0;

  readonly #lookout: Lookout;
  #audiences: Audiences = null;
  #gates: Gates | null = null;
  /** Null: everybody gets everything as it comes. */
  #pacing: Pacing | null = null;
  /** Null: none was told. */
  #counts: CountNews | null = null;

  constructor(
    readonly hub: AppHub,
    readonly about: OrdinaryChannel,
    private readonly ways: Ways,
    /** What its subscribers know of its members. Null: it has none, or there are no other processes. */
    readonly roster: Roster | null = null,
  ) {
    this.#lookout = new Lookout(ways.outlet);
    this.#pacing = hub.pacings.taken(about.name);
  }

  /** Its subscribers, by what they are told. */
  get audiences(): Iterable<Audience> {
    return allAudiences(this.#audiences);
  }

  get name(): string {
    return this.about.name;
  }

  /** Keeps those who want to subscribe waiting until other processes know of it. */
  waitFor(interest: Promise<void>): void {
    this.interest = this.#confirmed(interest);
    // Those who wait hear of a failure; without anybody waiting there is nobody to tell.
    this.interest.catch(() => {});
  }

  has(subscriber: Subscriber): boolean {
    return subscriber.subscriptionOf(this)?.channel === this;
  }

  /** Counts a subscriber in. It receives from `open` on, or from the release of its gate. */
  add(subscriber: Subscriber, userId: string | null, codec: Codec = subscriber.codec): void {
    const audience = this.#audience(codec);
    audience.add(subscriber);
    this.count += 1;
    subscriber.subscriptions.add(userId === null ? audience.plain : { channel: this, audience, userId });
  }

  /** What a subscriber gets is said in another codec from now on. It receives from `open` on. */
  recode(subscriber: Subscriber, codec: Codec): void {
    const subscription = subscriber.subscriptionOf(this);
    if (subscription === undefined || subscription.audience.codec === codec) return;
    subscription.audience.pace?.flush();
    this.remove(subscriber);
    this.add(subscriber, subscription.userId, codec);
  }

  /** Lets a subscriber receive. */
  open(subscriber: Subscriber): void {
    const codec = subscriber.subscriptionOf(this)?.audience.codec;
    if (codec?.live !== undefined) this.recode(subscriber, codec.live());
    const audience = subscriber.subscriptionOf(this)?.audience;
    // What is held back of those it comes to is from before.
    audience?.pace?.flush();
    audience?.open(subscriber);
  }

  /** Has a subscriber go on in another codec, or in its own from the beginning. */
  renew(subscriber: Subscriber, codec?: Codec): void {
    const current = subscriber.subscriptionOf(this)?.audience.codec;
    const next = codec ?? current?.held ?? current;
    if (current === undefined || next === undefined || next === current) return;
    this.recode(subscriber, next);
    if (!this.#isHeld(subscriber)) this.open(subscriber);
  }

  /** Has all that receive in one codec go on in another. */
  merge(from: Codec, into: Codec): void {
    for (const subscriber of audienceOf(this.#audiences, from)?.subscribers ?? []) {
      this.recode(subscriber, into);
      subscriber.subscriptionOf(this)?.audience.open(subscriber);
    }
  }

  countOf(codec: Codec): number {
    return audienceOf(this.#audiences, codec)?.count ?? 0;
  }

  /** Counts a subscriber out; it receives nothing more. */
  remove(subscriber: Subscriber): void {
    const subscription = subscriber.subscriptions.remove(this.name);
    if (subscription === undefined) return;
    this.count -= 1;
    const { audience } = subscription;
    audience.remove(subscriber);
    if (audience.count > 0) return;
    this.#audiences = withoutAudience(this.#audiences, audience);
    audience.codec.left?.();
  }

  /** Holds back what comes for a subscriber, whether it receives already or is about to. */
  hold(gate: Gate): void {
    const audience = gate.subscriber.subscriptionOf(this)?.audience;
    audience?.pace?.flush();
    this.#paceOf(gate.codec);
    (this.#gates ??= new Gates()).add(gate);
    const { subscriber } = gate;
    if (audience?.codec.held !== undefined) this.recode(subscriber, audience.codec.held);
    subscriber.subscriptionOf(this)?.audience.mute(subscriber);
  }

  /**
   * Ends a hold: a subscribed one is sent what was held and receives from now on, in one step, so that nothing that is
   * published can come in between. Any other is sent nothing.
   */
  release(gate: Gate): void {
    this.forget(gate);
    if (!this.has(gate.subscriber)) return;
    gate.subscriber.subscriptionOf(this)?.audience.pace?.flush();
    gate.send();
    this.open(gate.subscriber);
    if (gate.isLost) gate.subscriber.edge.lost?.(gate.subscriber, this.name);
  }

  /** Ends a hold of somebody who has given up: another one of the same subscriber goes on. */
  forget(gate: Gate): void {
    this.#gates?.delete(gate);
    if (this.#gates?.isEmpty === true) this.#gates = null;
  }

  /** Somebody here has seen the messages up to this serial in another way: no newer appends come together with those. */
  seen(serial: number): void {
    this.#pacing?.seen(serial);
  }

  /** What was held back is told. */
  flush(): void {
    this.#pacing?.flush();
  }

  /** Hands what is news to everybody here but one. Returns to how many; null: it is old, and nobody got it. */
  deliver(
    fact: ChannelFact,
    exceptSocketId: string | null = null,
    frames: Frames = new Frames(fact),
  ): number | null {
    const news = isState(fact) ? this.#newsOf(fact) : fact;
    return news === null ? null : this.tell(news, exceptSocketId, frames);
  }

  /** Whether this is the last count that was told. */
  knowsCount(count: number): boolean {
    return this.#counts?.knows(count) === true;
  }

  /** Tells everybody here but one, whatever they know. Returns how many; an audience that is told nothing counts for none. */
  tell(fact: ChannelFact, exceptSocketId: string | null = null, frames: Frames = new Frames(fact)): number {
    const tell = (): number => this.#tellAll(frames, exceptSocketId);
    const own = fact.kind === 'member_removed' ? this.#ownOf(fact.userId) : [];
    if (fact.kind !== 'member_removed' || own.length === 0) return tell();
    return tellOthers(this, this.ways.outlet, fact, own, tell);
  }

  /** Live events will not come any more. Whoever goes by positions is told so; null: nobody does on this channel. */
  lost(gap: Frames | null): void {
    if (gap !== null) this.#tellAll(gap, null);
    // Whoever is told may be said things in another codec from then on.
    const all = [...allAudiences(this.#audiences)].flatMap(({ subscribers }) => [...subscribers]);
    for (const subscriber of all) subscriber.edge.lost?.(subscriber, this.name);
  }

  /** Those that receive. Where there are no other processes nobody is told of the going of a user who is here. */
  #ownOf(userId: string): ReturnType<typeof receiversOf> {
    if (this.roster === null) return [];
    return receiversOf(
      this.#audiences,
      (one) => one.subscriptionOf(this)?.userId === userId && !this.#isHeld(one),
    );
  }

  #tellAll(frames: Frames, exceptSocketId: string | null): number {
    this.told += 1;
    const told: Told = { frames, exceptSocketId };
    if (this.#pacing !== null) return this.#pacing.take(told);
    const receivers = this.hand(told, null);
    this.holdBack(told, null);
    return receivers;
  }

  /** From now on somebody here wants appends at a pace. */
  paced(ways: AppendWays): Pacing {
    return (this.#pacing ??= pacingOf(this.hub, this.about, ways));
  }

  /** Tells all who are told at this pace. */
  hand(told: Told, pace: Pace | null): number {
    const { frames } = told;
    const except = this.#leftOut(told);
    const audiences = this.#audiences;
    let receivers = 0;
    if (audiences instanceof Map) {
      for (const audience of audiences.values())
        if (audience.pace === pace) receivers += this.#tell(audience, frames, except);
    } else if (audiences?.pace === pace) receivers = this.#tell(audiences, frames, except);
    this.#lookout.look(allAudiences(this.#audiences));
    this.#renewLeftOut(told, except, pace);
    return receivers;
  }

  /** Who was left out of what others of its pace were told cannot go on with what they remember. */
  #renewLeftOut({ frames: { fact } }: Told, except: Subscriber | null, pace: Pace | null): void {
    if (except === null || fact.kind !== 'message') return;
    const audience = except.subscriptionOf(this)?.audience;
    if (fact.isFromClient && audience?.codec.remembersClients !== true) return;
    if (audience?.pace === pace) this.renew(except);
  }

  /** Holds back from those with gates, who want appends whole or not; null: whatever they want. */
  holdBack(told: Told, wholes: boolean | null): void {
    this.#gates?.hold(told.frames, this.#leftOut(told), wholes);
  }

  /** Null: they get everything as it comes. */
  #paceOf(codec: Codec): Pace | null {
    const { appends } = this.ways;
    if (appends === null || Pacing.wanted(codec.appends, this.name, appends) === null) return null;
    return this.paced(appends).paceOf(codec);
  }

  #tell(audience: Audience, frames: Frames, except: Subscriber | null): number {
    const { codec } = audience;
    const frame = frames.of(codec);
    if (frame === null) {
      if (codec.filters === true && frames.fact.kind === 'message') this.hub.meters.filtered(audience.count);
      return 0;
    }
    const isLeftOut = except?.subscriptionOf(this)?.audience === audience;
    if (isLeftOut && frames.fact.kind === 'message') this.hub.meters.notEchoed();
    const held = this.#gates?.count((subscriber) => audience.has(subscriber)) ?? 0;
    audience.tell(frame, except, held);
    this.#lookout.told(frameBytes(frame));
    const receivers = audience.count - Number(isLeftOut);
    codec.told?.(frames, Math.max(0, receivers - held), this.hub.appId);
    return receivers;
  }

  /** Whom an event is not for. A client may want what it sent itself. */
  #leftOut({ frames: { fact }, exceptSocketId }: Told): Subscriber | null {
    const subscriber = exceptSocketId === null ? null : this.hub.subscriber(exceptSocketId);
    if (subscriber === null || fact.kind !== 'message' || !fact.isFromClient) return subscriber;
    return subscriber.edge.echoes(subscriber, fact) ? null : subscriber;
  }

  #newsOf(fact: StateFact): StateFact | null {
    if (!isOfCount(fact)) return this.roster === null ? fact : this.roster.hear(fact);
    this.#counts ??= new CountNews();
    return this.#counts.hear(fact);
  }

  #isHeld(subscriber: Subscriber): boolean {
    return this.#gates?.has(subscriber) === true;
  }

  #audience(codec: Codec): Audience {
    const found = audienceOf(this.#audiences, codec);
    if (found !== null) return found;
    const audience = new Audience(this, codec, this.ways, this.#paceOf(codec));
    this.#audiences = withAudience(this.#audiences, audience);
    return audience;
  }

  async #confirmed(interest: Promise<void>): Promise<void> {
    await interest;
    this.interest = undefined;
  }
}
