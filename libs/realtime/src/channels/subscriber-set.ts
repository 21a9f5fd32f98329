import type { OrdinaryChannel } from '@carillon/channels';
import type { AppHub } from '../apps/app-hub.js';
import type { AppendPace } from '../appends/append-pace.js';
import { type AppendWays, AppendThrottle } from '../appends/append-throttle.js';
import { pacingOf } from '../appends/reach.js';
import type { Told } from '../appends/told.js';
import type { Codec, Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { Audience, type Subscription, type Ways } from './audience.js';
import { allAudiences, audienceOf, type Audiences, withAudience, withoutAudience } from './audiences.js';
import { CatchUp, type PendingFrames } from './pending-frames.js';
import { Gates } from './gates.js';
import { LiteralIndex } from './literal-index.js';
import type { LocalChannel } from './local-channel.js';
import { alone, viewOf, viewsOf, without } from './views.js';

/**
 * The subscribers of one channel in this process by codec, and whether they receive or are held back. A subscriber
 * counts once, however many views of the channel it has; each view receives, is held back and is renewed
 * independently.
 */
export abstract class SubscriberSet {
  /** Number of subscribers in this process. */
  count = 0;

  protected audienceSet: Audiences = null;
  /** Null if no audience has a codec with literals. */
  protected index: LiteralIndex<Audience> | null = null;
  protected gates: Gates | null = null;
  /** Null if all subscribers are unpaced. */
  protected pacing: AppendThrottle | null;
  #several: Set<Subscriber> | null = null;
  /** The channel as its subscriptions reference it. */
  protected abstract readonly self: LocalChannel;

  constructor(
    readonly hub: AppHub,
    readonly about: OrdinaryChannel,
    protected readonly ways: Ways,
  ) {
    this.pacing = hub.pacings.taken(about.name);
  }

  get name(): string {
    return this.about.name;
  }

  /** Its subscribers, grouped by the frames they receive. */
  get audiences(): Iterable<Audience> {
    return allAudiences(this.audienceSet);
  }

  /** Subscribers with more than one view of the channel, each view in its own audience. */
  get several(): Iterable<Subscriber> {
    return this.#several ?? [];
  }

  has(subscriber: Subscriber): boolean {
    return this.#of(subscriber) !== undefined;
  }

  countOf(codec: Codec): number {
    return audienceOf(this.audienceSet, codec)?.count ?? 0;
  }

  /** Adds a subscriber. It receives from `open` on, or from the release of its gate. */
  add(subscriber: Subscriber, userId: string | null, codec: Codec = subscriber.codec): void {
    const audience = this.#enter(subscriber, codec);
    this.count += 1;
    subscriber.subscriptions.add(alone(audience, userId));
  }

  /** Changes the codec of one view of a subscriber, or adds the view. The view receives from `open` on. */
  recode(subscriber: Subscriber, codec: Codec): void {
    const subscription = this.#of(subscriber);
    if (subscription === undefined) return;
    const before = viewOf(subscription, codec.view);
    if (before?.codec === codec) return;
    before?.pace?.flush();
    const gate = before === undefined ? null : this.#catchUp(subscriber, before, codec);
    if (before !== undefined) this.#leave(subscriber, before);
    // A subscriber behind a gate does not change the state of a codec.
    const audience = this.#enter(subscriber, gate?.codec ?? codec);
    const others = before === undefined ? viewsOf(subscription) : without(subscription, before);
    this.#keep(subscriber, subscription, audience, others);
    if (gate !== null) void this.release(gate);
  }

  /** Whether messages of the subscribers of a codec wait for the evaluation of its filter. */
  isBehind(codec: Codec): boolean {
    return audienceOf(this.audienceSet, codec)?.isBehind === true;
  }

  /** Returns the messages of a view that a subscriber gets as soon as its filter is evaluated, in order. */
  untold(subscriber: Subscriber, view?: string): readonly Frames[] {
    const audience = this.viewOf(subscriber, view);
    const waiting = audience === undefined ? [] : this.#untoldOf(subscriber, audience);
    return [...(this.gates?.untold(subscriber, view) ?? []), ...waiting];
  }

  /** Lets a subscriber receive a view. */
  open(subscriber: Subscriber, view?: string): void {
    // It receives when it has caught up.
    if (this.#isCatchingUp(subscriber, view)) return;
    const codec = this.viewOf(subscriber, view)?.codec;
    if (codec?.live !== undefined) this.recode(subscriber, codec.live());
    const audience = this.viewOf(subscriber, view);
    // Facts held back by the pace precede its subscription.
    audience?.pace?.flush();
    audience?.open(subscriber);
  }

  /** Renews the codec of one view of a subscriber; without `codec`, the codecs of all its views. */
  renew(subscriber: Subscriber, codec?: Codec): void {
    const subscription = this.#of(subscriber);
    if (subscription === undefined) return;
    for (const audience of viewsOf(subscription))
      if (codec === undefined || codec.view === audience.codec.view)
        this.renewView(subscriber, audience, codec);
  }

  protected renewView(
    subscriber: Subscriber,
    { codec: current }: Audience,
    codec: Codec = current.held ?? current,
  ): void {
    if (codec === current) return;
    this.recode(subscriber, codec);
    if (!this.isHeld(subscriber, codec.view)) this.open(subscriber, codec.view);
  }

  /** Moves all receivers of one codec to another codec of the same view. */
  merge(from: Codec, into: Codec): void {
    for (const subscriber of audienceOf(this.audienceSet, from)?.subscribers ?? []) {
      this.recode(subscriber, into);
      if (!this.#isCatchingUp(subscriber, into.view)) audienceOf(this.audienceSet, into)?.open(subscriber);
    }
  }

  /** Removes one view of a subscriber that has others. */
  removeView(subscriber: Subscriber, view: string | undefined): void {
    const subscription = this.#of(subscriber);
    const audience = subscription === undefined ? undefined : viewOf(subscription, view);
    if (subscription === undefined || audience === undefined || subscription.others.length === 0) return;
    this.#dropCatchUps(subscriber, [audience]);
    this.#leave(subscriber, audience);
    const [first, ...others] = without(subscription, audience);
    if (first !== undefined) this.#keep(subscriber, subscription, first, others);
  }

  /** Removes a subscriber; nothing is delivered to it afterwards. */
  remove(subscriber: Subscriber): void {
    const subscription = subscriber.subscriptions.remove(this.name);
    if (subscription === undefined) return;
    this.count -= 1;
    this.#several?.delete(subscriber);
    this.#dropCatchUps(subscriber, viewsOf(subscription));
    for (const audience of viewsOf(subscription)) this.#leave(subscriber, audience);
  }

  /** Holds back facts for a view of a subscriber, whether it receives already or is about to. */
  hold(gate: PendingFrames): void {
    const { subscriber, codec } = gate;
    const audience = this.viewOf(subscriber, codec.view);
    audience?.pace?.flush();
    this.#paceOf(codec);
    this.#begin(gate, audience);
    if (audience?.codec.held !== undefined) this.recode(subscriber, audience.codec.held);
  }

  /** Begins a hold, starting with facts that were deferred by their filter. */
  #begin(gate: PendingFrames, audience: Audience | undefined): void {
    const { subscriber } = gate;
    gate.share = this.ways.filters ?? null;
    this.gates ??= new Gates();
    this.gates.absorbInto(gate);
    this.gates.add(gate);
    if (audience === undefined) return;
    const said = audience.codec.held ?? audience.codec;
    for (const frames of this.#untoldOf(subscriber, audience)) gate.holdUntold(frames, said);
    audience.mute(subscriber);
  }

  /** Returns a gate for facts that were deferred; null if none were, or if a gate holds them already. */
  #catchUp(subscriber: Subscriber, before: Audience, codec: Codec): PendingFrames | null {
    // Messages that arrive during catch-up are encoded by its codec of that time.
    if (!this.#isCatchingUp(subscriber, codec.view) && this.#untoldOf(subscriber, before).length === 0)
      return null;
    const gate = new CatchUp(subscriber, this.ways.outlet, codec);
    this.#begin(gate, before);
    return gate;
  }

  #isCatchingUp(subscriber: Subscriber, view: string | undefined): boolean {
    return this.gates?.isCatchingUp(subscriber, view) === true;
  }

  #untoldOf(subscriber: Subscriber, audience: Audience): readonly Frames[] {
    return audience
      .untold(subscriber)
      .filter((told) => !this.isKeptFrom(subscriber, told, audience.codec.view))
      .map(({ frames }) => frames);
  }

  /** Whether a subscriber is excluded from a message that its audience receives. */
  protected abstract isKeptFrom(subscriber: Subscriber, told: Told, view: string | undefined): boolean;

  #dropCatchUps(subscriber: Subscriber, audiences: readonly Audience[]): void {
    this.gates?.dropCatchUps(
      subscriber,
      audiences.map(({ codec: { view } }) => view),
    );
    if (this.gates?.isEmpty === true) this.gates = null;
  }

  /**
   * Ends a hold: a subscribed view is sent the held frames and receives from now on, in one synchronous step, so that
   * no publication can come in between. An unsubscribed one is sent nothing. Returns undefined if done synchronously;
   * the promise, of filters that must be evaluated first, never rejects.
   */
  release(gate: PendingFrames): Promise<void> | undefined {
    const settling = gate.settle();
    if (settling !== undefined) return this.#releaseLater(gate, settling);
    this.#release(gate);
    return undefined;
  }

  async #releaseLater(gate: PendingFrames, settling: Promise<void>): Promise<void> {
    for (let next: Promise<void> | undefined = settling; next !== undefined; next = gate.settle()) await next;
    // It may have been closed meanwhile.
    if (this.gates?.includes(gate) === true) this.#release(gate);
  }

  #release(gate: PendingFrames): void {
    this.forget(gate);
    const { subscriber, codec } = gate;
    const audience = this.viewOf(subscriber, codec.view);
    if (audience === undefined) return;
    audience.pace?.flush();
    gate.send();
    this.open(subscriber, codec.view);
    if (gate.isLost) subscriber.edge.lost?.(subscriber, this.name, codec.view);
  }

  /** Ends the hold of an abandoned join; another gate of the same subscriber remains in effect. */
  forget(gate: PendingFrames): void {
    this.gates?.delete(gate);
    if (this.gates?.isEmpty === true) this.gates = null;
  }

  /** Enables pacing: a subscriber in this process requested paced appends. */
  paced(ways: AppendWays): AppendThrottle {
    return (this.pacing ??= pacingOf(this.hub, this.about, ways));
  }

  protected isHeld(subscriber: Subscriber, view: string | undefined): boolean {
    return this.gates?.has(subscriber, view) === true;
  }

  #of(subscriber: Subscriber): Subscription | undefined {
    const subscription = subscriber.subscriptions.get(this.name);
    return subscription?.channel === this.self ? subscription : undefined;
  }

  protected viewOf(subscriber: Subscriber, view: string | undefined): Audience | undefined {
    const subscription = this.#of(subscriber);
    return subscription === undefined ? undefined : viewOf(subscription, view);
  }

  #enter(subscriber: Subscriber, codec: Codec): Audience {
    let audience = audienceOf(this.audienceSet, codec);
    if (audience === null) {
      audience = new Audience(this.self, codec, this.ways, this.#paceOf(codec));
      if (this.index !== null) this.index.add(audience);
      else if (codec.selector !== undefined) this.index = new LiteralIndex([...this.audiences, audience]);
      this.audienceSet = withAudience(this.audienceSet, audience);
    }
    audience.add(subscriber);
    return audience;
  }

  #leave(subscriber: Subscriber, audience: Audience): void {
    audience.remove(subscriber);
    if (audience.count > 0) return;
    audience.deferred?.clear();
    this.audienceSet = withoutAudience(this.audienceSet, audience);
    this.index?.remove(audience);
    if (this.index?.isEmpty === true) this.index = null;
    audience.codec.left?.();
  }

  #keep(
    subscriber: Subscriber,
    { userId }: Subscription,
    audience: Audience,
    others: readonly Audience[],
  ): void {
    const one = alone(audience, userId);
    subscriber.subscriptions.remove(this.name);
    subscriber.subscriptions.add(others.length === 0 ? one : { ...one, others });
    if (others.length > 0) (this.#several ??= new Set()).add(subscriber);
    else this.#several?.delete(subscriber);
  }

  /** Null if the codec is unpaced. */
  #paceOf(codec: Codec): AppendPace | null {
    const { appends } = this.ways;
    if (appends === null || AppendThrottle.wanted(codec.appends, this.name, appends) === null) return null;
    return this.paced(appends).paceOf(codec);
  }
}
