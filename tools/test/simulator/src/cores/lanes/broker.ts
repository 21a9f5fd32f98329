import type { FanOutRecordBody } from '@carillon/contracts';
import type {
  AnnouncementListener,
  Heard,
  LaneAddress,
  LaneBroker as LaneBrokerPort,
  LaneHandler,
} from '@carillon/broker';
import type { Env } from '../../run/env.js';

const BROKER = 200;

const keyOf = ({ use, lane }: LaneAddress): string => `${use}.${lane}`;

/** The broker of lanes, announcements and committed records. Each node has an end. */
export class SimulatedLanes {
  readonly ends = new Map<number, LaneEnd>();

  constructor(
    readonly env: Env,
    /** Told of each record before it is sent. */
    readonly handing: (record: FanOutRecordBody) => void,
    /** The broker has taken a record. */
    readonly handed: (record: FanOutRecordBody) => void,
    /** A record reaches the gateway of a node. */
    readonly arrived: (node: number, record: FanOutRecordBody) => void,
  ) {}

  open(node: number): LaneEnd {
    const end = new LaneEnd(this, node);
    this.ends.set(node, end);
    return end;
  }

  servers(address: LaneAddress): readonly LaneEnd[] {
    return [...this.ends.values()].filter((end) => end.handlers.has(keyOf(address)));
  }
}

/** The way of one node to the broker. It ends with the process. */
export class LaneEnd implements LaneBrokerPort {
  readonly maxBytes = 1024 * 1024;
  readonly handlers = new Map<string, LaneHandler>();
  listener: AnnouncementListener | null = null;

  constructor(
    private readonly broker: SimulatedLanes,
    private readonly node: number,
  ) {}

  call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const { network, simulation } = this.broker.env;
    if (network.isCut(this.node, BROKER)) return Promise.resolve({ kind: 'no_responder' });
    const servers = this.broker.servers(address);
    if (servers.length === 0) return Promise.resolve({ kind: 'no_responder' });
    const server = simulation.random.pick(servers);
    return new Promise((resolve) => {
      simulation.after(budgetMs, 'call silent', () => resolve({ kind: 'silent' }));
      if (network.isCut(BROKER, server.node)) return;
      network.send(this.node, server.node, `request ${keyOf(address)}`, () => {
        void server.#reply(keyOf(address), text, this.node, resolve);
      });
    });
  }

  async #reply(key: string, text: string, caller: number, resolve: (heard: Heard) => void): Promise<void> {
    const reply = await this.#answer(key, text);
    if (reply === null) return;
    const { network } = this.broker.env;
    network.send(this.node, caller, `reply ${key}`, () => resolve({ kind: 'reply', text: reply }));
  }

  async serve(address: LaneAddress, handler: LaneHandler): Promise<void> {
    await this.#confirmed();
    this.handlers.set(keyOf(address), handler);
  }

  async stopServing(address: LaneAddress): Promise<void> {
    this.handlers.delete(keyOf(address));
    // Requests on their way still come.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async announce(text: string): Promise<void> {
    const { env, ends } = this.broker;
    if (env.network.isCut(this.node, BROKER)) throw new Error('the broker is unreachable');
    for (const [node, end] of ends)
      if (end !== this && !env.network.isCut(BROKER, node))
        env.network.send(this.node, node, 'announcement', () =>
          this.broker.ends.get(node)?.listener?.(Buffer.from(text)),
        );
  }

  async hear(listener: AnnouncementListener): Promise<void> {
    await this.#confirmed();
    this.listener = listener;
  }

  async handOver(record: FanOutRecordBody): Promise<void> {
    const { env, ends, handing, handed, arrived } = this.broker;
    handing(record);
    await this.#confirmed();
    handed(record);
    for (const node of ends.keys())
      if (!env.network.isCut(BROKER, node))
        env.network.send(BROKER, node, `record ${record.serial}`, () => arrived(node, record));
  }

  async #answer(key: string, text: string): Promise<string | null> {
    return (await this.handlers.get(key)?.(text)) ?? null;
  }

  /** Resolves when the broker has answered; rejects when it cannot be reached. */
  async #confirmed(): Promise<void> {
    const { network, simulation } = this.broker.env;
    await new Promise<void>((resolve) => simulation.after(network.latencyMs(), 'broker confirms', resolve));
    if (network.isCut(this.node, BROKER)) throw new Error('the broker is unreachable');
  }
}
