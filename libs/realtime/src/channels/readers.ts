import type { OrdinaryChannel } from '@carillon/channels';
import type { AppHub } from '../apps/app-hub.js';
import type { Pace } from '../appends/pace.js';
import { type AppendWays, Pacing } from '../appends/pacing.js';
import { pacingOf } from '../appends/reach.js';
import type { Told } from '../appends/told.js';
import type { Codec, Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { Audience, type Subscription, type Ways } from './audience.js';
import { allAudiences, audienceOf, type Audiences, withAudience, withoutAudience } from './audiences.js';
import { CatchUp, type Gate } from './gate.js';
import { Gates } from './gates.js';
import { LiteralIndex } from './literal-index.js';
import type { LocalChannel } from './local-channel.js';
import { alone, viewOf, viewsOf, without } from './views.js';

/**
 * Who has one channel in this process, in which codecs, who receives and who is held back. A subscriber is counted once,
 * whatever views of the channel it has; each view receives, is held back and goes on in another codec for itself.
 */
export abstract class Readers {
  /** Subscribers of this process. */
  count = 0;

  protected audienceSet: Audiences = null;
  /** Null: no audience has a codec with literals. */
  protected index: LiteralIndex<Audience> | null = null;
  protected gates: Gates | null = null;
  /** Null: everybody gets everything as it comes. */
  protected pacing: Pacing | null;
  #several: Set<Subscriber> | null = null;
  /** As what its subscribers have it. */
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

  /** Its subscribers, by what they are told. */
  get audiences(): Iterable<Audience> {
    return allAudiences(this.audienceSet);
  }

  /** Those who have more than one view of it, each in an audience of its own. */
  get several(): Iterable<Subscriber> {
    return this.#several ?? [];
  }

  has(subscriber: Subscriber): boolean {
    return this.#of(subscriber) !== undefined;
  }

  countOf(codec: Codec): number {
    return audienceOf(this.audienceSet, codec)?.count ?? 0;
  }

  /** Counts a subscriber in. It receives from `open` on, or from the release of its gate. */
  add(subscriber: Subscriber, userId: string | null, codec: Codec = subscriber.codec): void {
    const audience = this.#enter(subscriber, codec);
    this.count += 1;
    subscriber.subscriptions.add(alone(audience, userId));
  }

  /**
   * What a subscriber gets of a view is said in another codec from now on; it may be one view more. It receives from `open`
   * on.
   */
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
    // What is held back of those it comes to is from before.
    audience?.pace?.flush();
    audience?.open(subscriber);
  }

  /** Has a view of a subscriber go on in another codec; without one, all that it has in their own from the beginning. */
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

  /** Has all that receive in one codec go on in another of the same view. */
  merge(from: Codec, into: Codec): void {
    for (const subscriber of audienceOf(this.audienceSet, from)?.subscribers ?? []) {
      this.recode(subscriber, into);
      if (!this.#isCatchingUp(subscriber, into.view)) audienceOf(this.audienceSet, into)?.open(subscriber);
    }
  }

  /** Takes one view from a subscriber that has others. */
  removeView(subscriber: Subscriber, view: string | undefined): void {
    const subscription = this.#of(subscriber);
    const audience = subscription === undefined ? undefined : viewOf(subscription, view);
    if (subscription === undefined || audience === undefined || subscription.others.length === 0) return;
    this.#dropCatchUps(subscriber, [audience]);
    this.#leave(subscriber, audience);
    const [first, ...others] = without(subscription, audience);
    if (first !== undefined) this.#keep(subscriber, subscription, first, others);
  }

  /** Counts a subscriber out; it receives nothing more. */
  remove(subscriber: Subscriber): void {
    const subscription = subscriber.subscriptions.remove(this.name);
    if (subscription === undefined) return;
    this.count -= 1;
    this.#several?.delete(subscriber);
    this.#dropCatchUps(subscriber, viewsOf(subscription));
    for (const audience of viewsOf(subscription)) this.#leave(subscriber, audience);
  }

  /** Holds back what comes for a view of a subscriber, whether it receives already or is about to. */
  hold(gate: Gate): void {
    const { subscriber, codec } = gate;
    const audience = this.viewOf(subscriber, codec.view);
    audience?.pace?.flush();
    this.#paceOf(codec);
    this.#begin(gate, audience);
    if (audience?.codec.held !== undefined) this.recode(subscriber, audience.codec.held);
  }

  /** Holds back from now on, beginning with what the subscriber was not told yet because its filter had to wait. */
  #begin(gate: Gate, audience: Audience | undefined): void {
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

  /** Null: the subscriber was told everything, or a gate holds it back already. */
  #catchUp(subscriber: Subscriber, before: Audience, codec: Codec): Gate | null {
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
   * Ends a hold: a subscribed one is sent what was held and receives from now on, in one step, so that nothing that is
   * published can come in between. Any other is sent nothing. Undefined when it was done immediately; the promise, of filters
   * that have to be evaluated first, never rejects.
   */
  release(gate: Gate): Promise<void> | undefined {
    const settling = gate.settle();
    if (settling !== undefined) return this.#releaseLater(gate, settling);
    this.#release(gate);
    return undefined;
  }

  async #releaseLater(gate: Gate, settling: Promise<void>): Promise<void> {
    for (let next: Promise<void> | undefined = settling; next !== undefined; next = gate.settle()) await next;
    // It may have ended otherwise.
    if (this.gates?.includes(gate) === true) this.#release(gate);
  }

  #release(gate: Gate): void {
    this.forget(gate);
    const { subscriber, codec } = gate;
    const audience = this.viewOf(subscriber, codec.view);
    if (audience === undefined) return;
    audience.pace?.flush();
    gate.send();
    this.open(subscriber, codec.view);
    if (gate.isLost) subscriber.edge.lost?.(subscriber, this.name, codec.view);
  }

  /** Ends a hold of somebody who has given up: another one of the same subscriber goes on. */
  forget(gate: Gate): void {
    this.gates?.delete(gate);
    if (this.gates?.isEmpty === true) this.gates = null;
  }

  /** From now on somebody here wants appends at a pace. */
  paced(ways: AppendWays): Pacing {
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

  /** Null: they get everything as it comes. */
  #paceOf(codec: Codec): Pace | null {
    const { appends } = this.ways;
    if (appends === null || Pacing.wanted(codec.appends, this.name, appends) === null) return null;
    return this.paced(appends).paceOf(codec);
  }
}
