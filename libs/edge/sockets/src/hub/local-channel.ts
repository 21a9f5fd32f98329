import type { LiveEvent, Standing } from '@carillon/fabric';
import type { OrdinaryChannel } from '@carillon/channels';
import type { Connection } from '../connection/connection.js';
import type { Outlet } from '../delivery/outlet.js';
import { Gate } from '../delivery/gate.js';
import type { AppHub } from './app-hub.js';
import type { Roster } from './roster.js';

/** One channel of one connection. All connections of a channel without members share one. */
export interface Subscription {
  readonly channel: LocalChannel;
  /** The member it is on a presence channel; null on any other. */
  readonly userId: string | null;
}

/** Sends one text to all sockets of a native topic. */
export type NativePublish = (topic: string, text: string) => void;

/** What subscribers are told. */
export type Told = Pick<LiveEvent, 'exceptSocketId' | 'frameText' | 'messageId' | 'standing'>;

/** After so many events, or so many bytes, a channel looks for subscribers that have fallen behind. */
const LOOK_EVENTS = 16;
const LOOK_BYTES = 64 * 1024;

/** Subscribers before they need a set. */
type Subscribers = Connection | Set<Connection> | null;

const all = (subscribers: Subscribers): Iterable<Connection> => {
  if (subscribers === null) return [];
  return subscribers instanceof Set ? subscribers : [subscribers];
};

/** A channel with subscribers, or somebody about to subscribe, in this process. */
export class LocalChannel {
  /** What connections hold when they are no members. */
  readonly plain: Subscription = { channel: this, userId: null };
  /** Settles when other processes send its events here, and rejects when they will not; undefined: they do. */
  interest: Promise<void> | undefined;
  /** Connections that are about to subscribe. */
  openings = 0;
  /** Whether its subscribers are counted over all processes. */
  isCounted = false;

  readonly #topic: string;
  readonly #lookEvents: number;
  #subscribers: Subscribers = null;
  #slow: Set<Connection> | null = null;
  #gates: Set<Gate> | null = null;
  #events = 0;
  #bytes = 0;
  /** The last state of the channel itself that was told. */
  #serial = 0;
  #stateText = '';

  constructor(
    readonly hub: AppHub,
    readonly about: OrdinaryChannel,
    private readonly outlet: Outlet,
    private readonly publish: NativePublish,
    /** What its subscribers know of its members. Null: it has none, or there are no other processes. */
    readonly roster: Roster | null = null,
  ) {
    this.#topic = `${hub.appId}/${about.name}`;
    this.#lookEvents = Math.min(LOOK_EVENTS, Math.max(1, Math.floor(outlet.bounds.maxFrames / 4)));
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

  /** Subscribed connections of this process. */
  get count(): number {
    const subscribers = this.#subscribers;
    if (subscribers === null) return 0;
    return subscribers instanceof Set ? subscribers.size : 1;
  }

  has(connection: Connection): boolean {
    const subscribers = this.#subscribers;
    return subscribers instanceof Set ? subscribers.has(connection) : subscribers === connection;
  }

  /** Counts the connection in. It receives from `open` on, or from the release of its gate. */
  add(connection: Connection, userId: string | null): void {
    const subscribers = this.#subscribers;
    if (subscribers === null) this.#subscribers = connection;
    else if (subscribers instanceof Set) subscribers.add(connection);
    else if (subscribers !== connection) this.#subscribers = new Set([subscribers, connection]);
    connection.subscriptions.add(userId === null ? this.plain : { channel: this, userId });
  }

  /** Lets the connection receive. */
  open(connection: Connection): void {
    if (connection.lane === null) connection.socket?.subscribe(this.#topic);
    else this.#addSlow(connection);
  }

  /** Counts the connection out; it receives nothing more. */
  remove(connection: Connection): void {
    const subscribers = this.#subscribers;
    if (subscribers instanceof Set) {
      subscribers.delete(connection);
      if (subscribers.size === 0) this.#subscribers = null;
    } else if (subscribers === connection) this.#subscribers = null;
    connection.subscriptions.remove(this.name);
    connection.socket?.unsubscribe(this.#topic);
    this.#removeSlow(connection);
  }

  /** Holds back what comes for a connection, whether it receives already or is about to. */
  hold(gate: Gate): void {
    this.#gates ??= new Set();
    this.#gates.add(gate);
    gate.connection.socket?.unsubscribe(this.#topic);
    this.#removeSlow(gate.connection);
  }

  /**
   * Ends a hold: a subscribed connection is sent what was held and receives from now on, in one step, so that nothing
   * that is published can come in between. Any other is sent nothing.
   */
  release(gate: Gate): void {
    if (this.#gates?.delete(gate) === true && this.#gates.size === 0) this.#gates = null;
    if (!this.has(gate.connection)) return;
    gate.send();
    this.open(gate.connection);
  }

  becameSlow(connection: Connection): void {
    // One that is held back is on no topic, and joins the slow ones when its gate opens.
    if (connection.socket?.unsubscribe(this.#topic) === true) this.#addSlow(connection);
  }

  becameFast(connection: Connection): void {
    if (this.#removeSlow(connection)) connection.socket?.subscribe(this.#topic);
  }

  /** Hands an event to everybody here but one. Returns to how many; null: it is old news, and nobody got it. */
  deliver(event: Told): number | null {
    const { standing } = event;
    return standing === undefined || this.#isNews(standing, event.frameText) ? this.tell(event) : null;
  }

  /** Whether this is the last state of the channel itself that was told. */
  knows(frameText: string): boolean {
    return this.#stateText === frameText;
  }

  /** Hands everybody here but one a frame, whatever they know. Returns to how many. */
  tell(told: Told): number {
    const { standing } = told;
    const own = standing === undefined || standing.isPresent ? [] : this.#socketsOf(standing.userId);
    return own.length === 0 || standing === undefined
      ? this.#tell(told)
      : this.#tellOthers(told, standing, own);
  }

  /**
   * A user who has a socket here is still here, whatever others took it for while they did not hear of this process: it
   * never sees itself leave. The store is told again that it is here, and others are.
   */
  #tellOthers(told: Told, { serial }: Standing, own: readonly Connection[]): number {
    const gates = own.map((connection) => new Gate(connection, this.outlet));
    for (const gate of gates) this.hold(gate);
    const receivers = this.#tell(told);
    for (const gate of gates) {
      gate.shown(serial);
      this.release(gate);
    }
    return receivers - gates.length;
  }

  /** Those that receive. Where there are no other processes nobody is told of the going of a user who is here. */
  #socketsOf(userId: string | null): readonly Connection[] {
    if (userId === null || this.roster === null) return [];
    const held = new Set([...(this.#gates ?? [])].map(({ connection }) => connection));
    const isOwn = (connection: Connection): boolean =>
      !held.has(connection) && connection.subscriptions.get(this.name)?.userId === userId;
    return [...all(this.#subscribers)].filter(isOwn);
  }

  #tell({ frameText, messageId, exceptSocketId, standing }: Told): number {
    const except = exceptSocketId === null ? null : this.hub.connection(exceptSocketId);
    const receivers = this.count - Number(except !== null && this.has(except));
    const bytes = Buffer.byteLength(frameText);
    // The native library leaves the publisher out by itself, if it is on the topic.
    const publisher = except?.socket?.isSubscribed(this.#topic) === true ? except.socket : null;
    this.hub.meters.sent(this.#onTopic() - Number(publisher !== null), bytes);
    if (publisher === null) this.publish(this.#topic, frameText);
    else publisher.publish(this.#topic, frameText, false, this.outlet.bounds.compress);
    if (this.#slow !== null) this.#deliverSlow(frameText, except);
    if (this.#gates !== null) {
      const serial = standing !== undefined && standing.userId !== null ? standing.serial : null;
      for (const gate of this.#gates) if (gate.connection !== except) gate.hold(messageId, frameText, serial);
    }
    this.#look(bytes);
    return receivers;
  }

  #isNews(standing: Standing, frameText: string): boolean {
    if (standing.userId !== null) return this.roster?.hear(standing.userId, standing, frameText) ?? true;
    if (standing.serial < this.#serial) return false;
    this.#serial = standing.serial;
    this.#stateText = frameText;
    return true;
  }

  /** Subscribers that are neither slow nor held back. */
  #onTopic(): number {
    let count = this.count - (this.#slow?.size ?? 0);
    for (const { connection } of this.#gates ?? []) if (this.has(connection)) count -= 1;
    return count;
  }

  #deliverSlow(frameText: string, except: Connection | null): void {
    for (const connection of this.#slow ?? []) {
      if (connection !== except) this.outlet.queue(connection, frameText);
    }
  }

  /** Finds who has fallen behind, now and then: looking costs a little, and nobody falls far behind in between. */
  #look(bytes: number): void {
    this.#events += 1;
    this.#bytes += bytes;
    if (this.#events < this.#lookEvents && this.#bytes < LOOK_BYTES) return;
    this.#events = 0;
    this.#bytes = 0;
    for (const connection of all(this.#subscribers)) {
      if (connection.lane === null) this.outlet.slowDown(connection);
    }
  }

  async #confirmed(interest: Promise<void>): Promise<void> {
    await interest;
    this.interest = undefined;
  }

  #addSlow(connection: Connection): void {
    this.#slow ??= new Set();
    this.#slow.add(connection);
  }

  #removeSlow(connection: Connection): boolean {
    const removed = this.#slow?.delete(connection) === true;
    if (removed && this.#slow?.size === 0) this.#slow = null;
    return removed;
  }
}
