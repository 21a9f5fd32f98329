import { Publisher } from './clients/publisher.js';
import { Subscriber } from './clients/subscriber.js';
import type { Fault } from './faults/fault.js';
import { checkDelivery, type Evidence } from './model/check-delivery.js';
import type { Gap, Publication } from './model/records.js';
import type { Fleet } from './nodes/fleet.js';
import type { Node } from './nodes/node.js';
import { Random } from './random.js';
import { now, sleep, until } from './wait.js';

/** How much a run does. */
export interface RunOptions {
  readonly seed: number;
  /** How long lasting faults last. */
  readonly lastingMs: number;
  /** Traffic before the fault, and again after it. */
  readonly trafficMs: number;
}

/** What a run found. */
export interface RunReport {
  readonly fault: string;
  readonly seed: number;
  readonly violations: readonly string[];
  readonly published: number;
  readonly delivered: number;
  readonly lostInGaps: number;
  readonly repeated: number;
  readonly tookMs: number;
}

const PUBLISHERS = 3;
const SUBSCRIBERS_PER_GATEWAY = 2;
const PAUSE_MS = 40;
/** How long a node may take to hear again after everything is mended; longer: it is deaf. */
const HEARS_WITHIN_MS = 25_000;
/** How long what is on its way may take at the end. */
const ARRIVES_WITHIN_MS = 10_000;

/** One run: clients at work, a fault in the middle, and a look at whether what must be true is. */
export async function run(fleet: Fleet, fault: Fault, options: RunOptions): Promise<RunReport> {
  const beganAtMs = now();
  const random = new Random(options.seed);
  const scene = new Play(fleet, random, `${options.seed}-${Date.now().toString(36)}`);
  const violations = await scene
    .play(fault, options)
    .catch((error: unknown) => [`the run failed: ${String(error)}`]);
  const verdict = scene.verdict();
  return {
    fault: fault.name,
    seed: options.seed,
    violations: [
      ...violations,
      ...verdict.wrong,
      ...verdict.missing,
      ...fleet.nodes.flatMap((node) => node.trouble),
    ],
    published: scene.evidence().publications.length,
    delivered: scene.delivered(),
    lostInGaps: verdict.lostInGaps,
    repeated: verdict.repeated,
    tookMs: now() - beganAtMs,
  };
}

/** The clients of one run and what they have seen. */
class Play {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #channels: readonly string[];
  readonly #publishers: readonly Publisher[];
  readonly #probe: Publisher;
  readonly #subscribers: readonly Subscriber[];
  readonly #gaps: Gap[] = [];

  constructor(fleet: Fleet, random: Random, name: string) {
    this.#fleet = fleet;
    this.#random = random;
    this.#channels = [`ticks-${name}`, `private-ticks-${name}`];
    const names = Array.from({ length: PUBLISHERS }, (_, index) => `publisher-${index + 1}`);
    this.#publishers = names.map((one) => new Publisher(one, fleet.apis, random.fork()));
    this.#probe = new Publisher('probe', fleet.apis, random.fork());
    this.#subscribers = Array.from(
      { length: fleet.gateways.length * SUBSCRIBERS_PER_GATEWAY },
      (_, index) => new Subscriber(`client-${index + 1}`, fleet.gateways, this.#channels, random.fork()),
    );
  }

  async play(fault: Fault, { trafficMs, lastingMs }: RunOptions): Promise<string[]> {
    const { gateways } = this.#fleet;
    try {
      await Promise.all(
        this.#subscribers.map((one, index) => one.begin(gateways[index % gateways.length] as Node)),
      );
      for (const publisher of this.#publishers) publisher.begin(this.#channels, PAUSE_MS);
      await sleep(this.#random.between(trafficMs / 2, trafficMs));
      await fault.strike({
        fleet: this.#fleet,
        random: this.#random,
        channels: this.#channels,
        lastingMs,
        gap: (node) => this.#gap(node),
      });
      const violations = await this.#settle();
      await sleep(this.#random.between(trafficMs / 2, trafficMs));
      await Promise.all(this.#publishers.map((publisher) => publisher.stop()));
      await until(() => this.verdict().missing.length === 0, ARRIVES_WITHIN_MS);
      return [...violations, ...this.#unaccepted(), ...this.#closings(fault)];
    } finally {
      for (const publisher of this.#publishers) await publisher.stop().catch(() => undefined);
      for (const subscriber of this.#subscribers) subscriber.stop();
    }
  }

  evidence(): Evidence {
    return {
      publications: [...this.#publishers, this.#probe].flatMap(({ publications }) => publications),
      connections: this.#subscribers.flatMap(({ connections }) => connections),
      gaps: this.#gaps,
    };
  }

  verdict() {
    return checkDelivery(this.evidence());
  }

  delivered(): number {
    const { connections } = this.evidence();
    return connections
      .flatMap(({ received }) => [...received.values()])
      .reduce((sum, { length }) => sum + length, 0);
  }

  #gap(node: Node): Gap {
    const gap: Gap = { gateway: node.name, fromMs: now(), toMs: Infinity };
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
    const asked = await Promise.all(
      this.#subscribers.map((subscriber) => ({ subscriber, record: subscriber.current })),
    );
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
      .map(({ subscriber, record }) =>
        record === null
          ? `${subscriber.name} is not connected`
          : `${record.name} on ${record.gateway} hears nothing of a fresh publish`,
      );
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
