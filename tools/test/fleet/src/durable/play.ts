import { Subscriber } from '../clients/subscriber.js';
import type { Node } from '../nodes/node.js';
import type { Random } from '../random.js';
import { now, sleep, until } from '../wait.js';
import { checkAnswers } from './check-answers.js';
import { checkHistories, type DurableEvidence } from './check-history.js';
import { DurablePublisher } from './durable-publisher.js';
import type { DurableFault } from './faults/fault.js';
import { type Installation, TABLES } from './installation.js';
import { Mutator } from './mutator.js';
import { readHistory } from './read-history.js';
import type { ChannelHistory, DurablePublication } from './records.js';

export interface DurablePlayOptions {
  /** How long the longest of the lasting faults lasts. */
  readonly lastingMs: number;
  /** Traffic before the fault, and again after it. */
  readonly trafficMs: number;
}

const CHANNELS = 10;
const PUBLISHERS = 24;
const MUTATORS = 12;
const SUBSCRIBERS_PER_GATEWAY = 2;
const PAUSE_MS = 60;
/** So fast that a batch is under way at every moment. */
const HURRY_PAUSE_MS = 4;
const HURRY_MS = 700;
/** How long before the fault the hurry begins, at least. */
const HURRY_AHEAD_MS = 100;
/** How long after everything is mended a publish on any channel may need. */
const WORKS_WITHIN_MS = 15_000;
/** How long what is on its way to subscribers may take at the end, and the mark that it was handed over. */
const ARRIVES_WITHIN_MS = 15_000;

/** The clients of one run of durable channels and what they have seen. */
export class DurablePlay {
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #channels: readonly string[];
  readonly #publishers: readonly DurablePublisher[];
  readonly #probe: DurablePublisher;
  /** None where messages cannot be changed. */
  readonly #mutators: readonly Mutator[];
  readonly #subscribers: readonly Subscriber[];
  readonly #givenUpBefore = new Map<Node, number>();

  constructor(installation: Installation, random: Random, name: string) {
    this.#installation = installation;
    this.#random = random;
    const { apis, gateways } = installation;
    this.#channels = times(CHANNELS, (n) => `${n % 2 === 0 ? 'private-' : ''}orders-${n}-${name}`);
    this.#publishers = times(PUBLISHERS, (n) => new DurablePublisher(`shop-${n}`, apis, random.fork()));
    this.#mutators = times(
      installation.livesOn ? MUTATORS : 0,
      (n) => new Mutator(`editor-${n}`, `living-${(n % 3) + 1}-${name}`, apis, random.fork()),
    );
    this.#probe = new DurablePublisher('probe', apis, random.fork());
    this.#subscribers = times(
      gateways.length * SUBSCRIBERS_PER_GATEWAY,
      (n) => new Subscriber(`client-${n}`, gateways, this.#channels, random.fork()),
    );
  }

  get publications(): readonly DurablePublication[] {
    return [...this.#publishers, this.#probe].flatMap(({ publications }) => publications);
  }

  /** Events that came to clients. */
  get delivered(): number {
    const lines = this.#connections.flatMap(({ received }) => [...received.values()]);
    return lines.reduce((sum, { length }) => sum + length, 0);
  }

  /** Gaps that gateways could not close in their time. */
  givenUp = 0;

  /** Resolves with what is wrong. */
  async play(fault: DurableFault, { trafficMs, lastingMs }: DurablePlayOptions): Promise<string[]> {
    try {
      await this.#begin();
      await sleep(this.#random.between(trafficMs / 2, trafficMs));
      await this.#strike(fault, lastingMs);
      const idle = await this.#settle();
      // Whoever comes back subscribes in the middle of the traffic.
      this.#random.pick(this.#subscribers).hangUp();
      await sleep(this.#random.between(trafficMs / 2, trafficMs));
      await Promise.all([...this.#publishers, ...this.#mutators].map((one) => one.stop()));
      return [...idle, ...(await this.#judge(fault))];
    } finally {
      for (const one of [...this.#publishers, ...this.#mutators]) await one.stop().catch(() => undefined);
      for (const subscriber of this.#subscribers) subscriber.stop();
    }
  }

  async #begin(): Promise<void> {
    const { gateways } = this.#installation;
    for (const gateway of gateways) this.#givenUpBefore.set(gateway, await givenUpAt(gateway));
    await Promise.all(
      this.#subscribers.map((one, index) => one.begin(gateways[index % gateways.length] as Node)),
    );
    for (const publisher of this.#publishers) publisher.begin(this.#channels, PAUSE_MS);
    for (const mutator of this.#mutators) mutator.begin(PAUSE_MS);
  }

  async #strike(fault: DurableFault, lastingMs: number): Promise<void> {
    const pace = (pauseMs: number): void => {
      for (const one of [...this.#publishers, ...this.#mutators]) one.pauseMs = pauseMs;
    };
    pace(HURRY_PAUSE_MS);
    setTimeout(() => pace(PAUSE_MS), HURRY_MS);
    await sleep(this.#random.between(HURRY_AHEAD_MS, HURRY_AHEAD_MS * 3));
    await fault.strike({ installation: this.#installation, random: this.#random, lastingMs });
  }

  /** Everything works again: an event is accepted on every channel. */
  async #settle(): Promise<string[]> {
    const mendedAtMs = now();
    await Promise.all(this.#channels.map((channel) => this.#probe.publish(channel, true)));
    const tookMs = Math.round(now() - mendedAtMs);
    return tookMs > WORKS_WITHIN_MS ? [`publishing worked again only after ${tookMs} ms`] : [];
  }

  async #judge(fault: DurableFault): Promise<string[]> {
    const histories = await this.#histories();
    const gaveUp = await this.#whoGaveUp();
    const evidence = (): DurableEvidence => ({
      publications: this.publications,
      histories,
      connections: this.#connections,
      ...(fault.mayGiveUp === true ? { gaveUp } : {}),
    });
    await until(() => checkHistories(evidence()).length === 0, ARRIVES_WITHIN_MS);
    return [
      ...checkAnswers(this.publications, fault),
      ...checkHistories(evidence()),
      ...this.#publishers.flatMap(({ unseen }) => unseen),
      ...this.#closings(),
      ...(await this.#checkRows()),
      ...(await this.#checkMessages()),
    ];
  }

  async #checkMessages(): Promise<string[]> {
    const sql = (statement: string) => this.#installation.sql(statement);
    const wrong = await Promise.all(this.#mutators.map((mutator) => mutator.check(sql, TABLES)));
    return wrong.flat();
  }

  /** Changes of messages that were accepted. */
  get changed(): number {
    return this.#mutators.reduce((sum, { accepted }) => sum + accepted, 0);
  }

  get #connections() {
    return this.#subscribers.flatMap(({ connections }) => connections);
  }

  async #whoGaveUp(): Promise<Set<string>> {
    const names = new Set<string>();
    for (const [gateway, before] of this.#givenUpBefore) {
      const more = (await givenUpAt(gateway)) - before;
      this.givenUp += more;
      if (more > 0) names.add(gateway.name);
    }
    return names;
  }

  /** By turns over both api nodes. */
  #histories(): Promise<ChannelHistory[]> {
    const { apis } = this.#installation;
    const ports = apis.map(({ port }) => port);
    return Promise.all(
      this.#channels.map((channel, index) => readHistory(ports[index % ports.length] ?? 0, channel)),
    );
  }

  /** Nothing that was broken is what clients are connected to, so nobody but who hung up may be gone. */
  #closings(): string[] {
    return this.#connections
      .filter(({ end }) => end !== null && end.code !== null)
      .map(({ name, gateway, end }) => `${name} on ${gateway} was closed with ${end?.code}`);
  }

  /** What the tables say: every stream handed over whole, no serial twice, none beyond the counter. */
  async #checkRows(): Promise<string[]> {
    const names = this.#channels.map((channel) => `'${channel}'`).join();
    const lagging = (): Promise<(string | null)[]> =>
      this.#installation.sql(
        `select channel || ' is handed over up to ' || fanned_out_serial || ' and goes on with ' || next_delivery_serial
          from ${TABLES}streams where channel in (${names}) and fanned_out_serial <> next_delivery_serial - 1`,
      );
    await until(async () => (await lagging()).length === 0, ARRIVES_WITHIN_MS);
    const torn = await this.#installation.sql(
      `select s.channel || ' has ' || count(*) || ' rows up to ' || coalesce(max(r.delivery_serial), 0) || ' and goes on with '
          || s.next_delivery_serial
        from ${TABLES}streams s left join ${TABLES}records r on r.stream_key = s.stream_key and r.generation = s.generation
        where s.channel in (${names}) group by s.stream_key, s.channel, s.next_delivery_serial, s.next_history_serial
        having count(r.delivery_serial) <> s.next_delivery_serial - 1 or count(distinct r.history_serial) <> s.next_history_serial - 1`,
    );
    return [...(await lagging()), ...torn].map(String);
  }
}

const givenUpAt = (gateway: Node): Promise<number> =>
  gateway.metric('gateway_gap_fetch_total', 'result="given_up"');

const times = <Value>(count: number, make: (number: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));
