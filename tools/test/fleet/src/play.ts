import { Publisher } from './clients/publisher.js';
import { Room } from './clients/room.js';
import { Subscriber } from './clients/subscriber.js';
import type { Fault, Scene } from './faults/fault.js';
import { checkDelivery, type Evidence, type Verdict } from './model/check-delivery.js';
import { type Allowance, checkChanges, differences } from './model/check-presence.js';
import { checkCounts } from './model/check-counts.js';
import type { Gap, Publication } from './model/records.js';
import type { Fleet } from './nodes/fleet.js';
import type { Node } from './nodes/node.js';
import type { Random } from './random.js';
import { now, sleep, until } from './wait.js';
import { NODE_TIMEOUT_MS } from './broker/broker.js';

/** How much a run does. */
export interface RunOptions {
  readonly seed: number;
  /** How long lasting faults last. */
  readonly lastingMs: number;
  /** Traffic before the fault, and again after it. */
  readonly trafficMs: number;
}

const PUBLISHERS = 3;
const SUBSCRIBERS_PER_GATEWAY = 2;
const PAUSE_MS = 40;
/** So fast that something is under way at every moment. */
const HURRY_PAUSE_MS = 2;
const HURRY_MS = 600;
/** How long before the fault the hurry begins. */
const HURRY_AHEAD_MS = 150;
/** How long a node may take to hear again after everything is mended; longer: it is deaf. */
const HEARS_WITHIN_MS = 15_000;
/** How long what is on its way may take at the end. */
const ARRIVES_WITHIN_MS = 10_000;
/** What was accepted so shortly before an outage may have been in buffers that it emptied. */
const BUFFERED_MS = 1000;
/** How long somebody may be believed to be there who is not. */
const GHOST_MS = NODE_TIMEOUT_MS + 5000;

/** The clients of one run and what they have seen. */
export class Play {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #channels: readonly string[];
  readonly #publishers: readonly Publisher[];
  readonly #probe: Publisher;
  readonly #subscribers: readonly Subscriber[];
  readonly #room: Room;
  readonly #gaps: Gap[] = [];
  readonly #recorded: Publication[] = [];

  constructor(fleet: Fleet, random: Random, name: string) {
    this.#fleet = fleet;
    this.#random = random;
    this.#channels = [`ticks-${name}`, `private-ticks-${name}`];
    this.#publishers = times(PUBLISHERS, (n) => new Publisher(`publisher-${n}`, fleet.apis, random.fork()));
    this.#probe = new Publisher('probe', fleet.apis, random.fork());
    this.#subscribers = times(
      fleet.gateways.length * SUBSCRIBERS_PER_GATEWAY,
      (n) => new Subscriber(`client-${n}`, fleet.gateways, this.#channels, random.fork()),
    );
    this.#room = new Room(`presence-room-${name}`, fleet.gateways, random.fork());
  }

  /** Resolves with what is wrong, besides what `verdict` says. */
  async play(fault: Fault, { trafficMs, lastingMs }: RunOptions): Promise<string[]> {
    try {
      await this.#begin();
      await sleep(this.#random.between(trafficMs / 2, trafficMs));
      await this.#strike(fault, lastingMs);
      const deaf = await this.#settle();
      await sleep(this.#random.between(trafficMs / 2, trafficMs));
      await Promise.all([...this.#publishers.map((publisher) => publisher.stop()), this.#room.rest()]);
      const presence = this.#presence(fault.allowance);
      await until(() => this.verdict().missing.length === 0, ARRIVES_WITHIN_MS);
      return [...deaf, ...this.#unaccepted(), ...this.#closings(fault), ...(await presence)];
    } finally {
      this.#room.close();
      for (const publisher of this.#publishers) await publisher.stop().catch(() => undefined);
      for (const subscriber of this.#subscribers) subscriber.stop();
    }
  }

  evidence(): Evidence {
    return {
      publications: [
        ...[...this.#publishers, this.#probe].flatMap(({ publications }) => publications),
        ...this.#recorded,
      ],
      connections: this.#subscribers.flatMap(({ connections }) => connections),
      gaps: this.#gaps,
    };
  }

  verdict(): Verdict {
    return checkDelivery(this.evidence());
  }

  async #begin(): Promise<void> {
    const { gateways } = this.#fleet;
    await Promise.all(
      this.#subscribers.map((one, index) => one.begin(gateways[index % gateways.length] as Node)),
    );
    await this.#room.begin();
    for (const publisher of this.#publishers) publisher.begin(this.#channels, PAUSE_MS);
  }

  async #strike(fault: Fault, lastingMs: number): Promise<void> {
    const scene: Scene = {
      fleet: this.#fleet,
      random: this.#random,
      channels: this.#channels,
      lastingMs,
      gap: (node) => this.#gap(node),
      record: (publication) => void this.#recorded.push(publication),
      connectionsOf: (node) =>
        this.#subscribers
          .flatMap(({ connections }) => connections)
          .filter(({ gateway }) => gateway === node.name),
      hangUp: () => {
        this.#room.hangUp();
        for (const subscriber of this.#subscribers) subscriber.hangUp();
      },
    };
    const pace = (pauseMs: number): void => {
      for (const publisher of this.#publishers) publisher.pauseMs = pauseMs;
    };
    pace(HURRY_PAUSE_MS);
    setTimeout(() => pace(PAUSE_MS), HURRY_MS);
    await sleep(this.#random.between(HURRY_AHEAD_MS / 2, HURRY_AHEAD_MS));
    await fault.strike(scene);
  }

  #gap(node: Node): Gap {
    const gap: Gap = { gateway: node.name, fromMs: now() - BUFFERED_MS, toMs: Infinity };
    this.#gaps.push(gap);
    return gap;
  }

  /** Publishes anew until every client hears every channel; what does not in time is deaf. */
  async #settle(): Promise<string[]> {
    const deadline = now() + HEARS_WITHIN_MS;
    let deaf = await this.#deaf();
    while (deaf.length > 0 && now() < deadline) {
      await sleep(200);
      deaf = await this.#deaf();
    }
    for (const gap of this.#gaps) gap.toMs = now();
    return deaf;
  }

  /** Clients that do not hear one fresh publish on each channel. */
  async #deaf(): Promise<string[]> {
    const asked = this.#subscribers.map((subscriber) => ({
      name: subscriber.name,
      record: subscriber.current,
    }));
    const probes: Publication[] = [];
    for (const channel of this.#channels) probes.push(await this.#probe.publish(channel));
    const hears = (record: (typeof asked)[number]['record']): boolean =>
      record !== null &&
      probes.every(({ channel, number }) =>
        record.received.get(channel)?.some((one) => one.publisher === 'probe' && one.number === number),
      );
    await until(() => asked.every(({ record }) => hears(record)), 1000);
    return asked
      .filter(({ record }) => !hears(record))
      .map(({ name, record }) =>
        record === null
          ? `${name} is not connected`
          : `${record.name} on ${record.gateway} hears nothing of a fresh publish`,
      );
  }

  /** Who is believed to be there, and how many. */
  async #presence(allowance?: Allowance): Promise<string[]> {
    const room = this.#room;
    const wrong = () => room.watches.flatMap((watch) => differences(watch, room.stays));
    await until(() => wrong().length === 0, GHOST_MS);
    const open = this.#subscribers.filter(({ current }) => current !== null).length;
    const counts = await checkCounts(this.#fleet.gateways, {
      channels: new Map(this.#channels.map((channel) => [channel, open])),
      room: room.channel,
      users: room.everybody,
    });
    const changes = room.watches.flatMap((watch) => checkChanges(watch, room.stays, allowance));
    return [...wrong(), ...changes, ...counts];
  }

  #unaccepted(): string[] {
    return this.evidence()
      .publications.filter(({ acceptedAtMs }) => acceptedAtMs === null)
      .map(({ publisher, channel, number }) => `${publisher}: ${number} on ${channel} was never accepted`);
  }

  #closings({ closeCodes }: Fault): string[] {
    if (closeCodes === undefined) return [];
    return this.evidence()
      .connections.filter(({ end }) => end !== null && !closeCodes.includes(end.code))
      .map(({ name, gateway, end }) => `${name} on ${gateway} was closed with ${end?.code}`);
  }
}

const times = <Value>(count: number, make: (number: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));
