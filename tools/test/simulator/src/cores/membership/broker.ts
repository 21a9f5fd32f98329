import { natsNames } from '@carillon/contracts';
import { type Session, type SessionListener, SessionLost, type Wire } from '@carillon/broker';
import type { Env } from '../../run/env.js';

const BROKER = 200;
/** After a link is cut, both sides notice it within this time. */
const NOTICE_MS = 2000;
const OPEN_WITHIN_MS = 1000;

/** A broker in a process of its own. Links are ordered per address; a lost message ends the session, as TCP does. */
export class SimulatedBroker {
  readonly names = natsNames('sim');
  readonly sessions = new Set<SimulatedSession>();

  constructor(
    readonly env: Env,
    /** Told of every message that reaches a node, before the node takes it. */
    readonly heard: (node: number, bytes: Uint8Array) => void,
  ) {}

  wire(node: number): Wire {
    return { names: this.names, open: (listener) => this.#open(node, listener) };
  }

  /** The process of the node is gone, and its connections with it. */
  drop(node: number): void {
    for (const session of this.sessions) if (session.node === node) this.sessions.delete(session);
  }

  carry(address: string, bytes: Uint8Array): void {
    for (const session of this.sessions) if (session.hears(address)) session.push(address, bytes);
  }

  async #open(node: number, listener: SessionListener): Promise<Session> {
    const session = new SimulatedSession(this, node, listener);
    const isOpen = await session.exchange('open', OPEN_WITHIN_MS, () => this.sessions.add(session));
    if (!isOpen) throw new Error('the broker does not answer');
    return session;
  }
}

class SimulatedSession implements Session {
  readonly addresses = new Set<string>();
  readonly lanes = {
    call: async () => ({ kind: 'no_responder' }) as const,
    serve: async () => undefined,
    stopServing: async () => undefined,
  };
  #isOver = false;
  #isBroken = false;
  readonly #waiting = new Set<(error: SessionLost) => void>();

  constructor(
    private readonly broker: SimulatedBroker,
    readonly node: number,
    private readonly listener: SessionListener,
  ) {}

  hears(address: string): boolean {
    const pattern = `${address.slice(0, address.lastIndexOf('.') + 1)}*`;
    return this.addresses.has(address) || this.addresses.has(pattern);
  }

  async publish(address: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#request(`publish ${address}`, () => this.broker.carry(address, bytes));
  }

  async subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    await this.#request(`subscribe ${addresses.join(' ')}`, () => {
      for (const address of addresses) this.addresses.add(address);
    });
    return [];
  }

  async unsubscribe(addresses: readonly string[]): Promise<void> {
    await this.#request(`unsubscribe ${addresses.join(' ')}`, () => {
      for (const address of addresses) this.addresses.delete(address);
    });
  }

  async check(): Promise<void> {
    await this.#request('check', () => undefined);
  }

  async close(): Promise<void> {
    this.#end();
  }

  /** From the broker to the node. */
  push(address: string, bytes: Uint8Array): void {
    const { env, heard } = this.broker;
    const { network, simulation } = env;
    const { duplicate } = network.rates;
    const times = 1 + (duplicate > 0 && simulation.random.chance(duplicate) ? 1 : 0);
    for (let time = 0; time < times; time += 1) {
      const isSent = network.stream(BROKER, this.node, `message ${address}`, () => {
        if (this.#isOver || !this.broker.sessions.has(this)) return;
        const pattern = `${address.slice(0, address.lastIndexOf('.') + 1)}*`;
        const as = this.addresses.has(address) ? address : pattern;
        heard(this.node, bytes);
        this.listener.message(as, bytes);
      });
      if (!isSent) this.#break();
    }
  }

  /** A request to the broker and its answer; false if none comes in time. */
  exchange(label: string, ms: number, run: () => void): Promise<boolean> {
    const { network, simulation } = this.broker.env;
    return new Promise((resolve) => {
      simulation.after(ms, `${label} timeout`, () => resolve(false));
      network.stream(this.node, BROKER, label, () => {
        run();
        network.stream(BROKER, this.node, `${label} confirmed`, () => resolve(true));
      });
    });
  }

  #request(label: string, run: () => void): Promise<void> {
    if (this.#isOver) return Promise.reject(new SessionLost());
    const { network } = this.broker.env;
    return new Promise((resolve, reject) => {
      const failed = (error: SessionLost): void => reject(error);
      this.#waiting.add(failed);
      const confirmed = (): void => {
        this.#waiting.delete(failed);
        resolve();
      };
      const isSent = network.stream(this.node, BROKER, label, () => {
        if (this.#isBroken || !this.broker.sessions.has(this)) return;
        run();
        if (!network.stream(BROKER, this.node, `${label} confirmed`, confirmed)) this.#break();
      });
      if (!isSent) this.#break();
    });
  }

  /** Nothing passes any more; the node notices it after a while. */
  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.broker.sessions.delete(this);
    const { simulation } = this.broker.env;
    simulation.deliver(this.node, simulation.random.next() * NOTICE_MS, 'link lost', () => {
      if (this.#isOver) return;
      this.#end();
      this.listener.lost('the link was cut');
    });
  }

  #end(): void {
    this.#isOver = true;
    this.broker.sessions.delete(this);
    for (const fail of this.#waiting) fail(new SessionLost());
    this.#waiting.clear();
  }
}
