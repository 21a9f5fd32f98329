import { setImmediate as soon } from 'node:timers/promises';
import { natsNames } from '@carillon/contracts';
import type { Session, SessionListener, Wire } from '../src/cluster/wire.js';
import { SessionLost } from '../src/cluster/wire.js';
import { MemoryLanes } from './memory-lanes.js';

/** In-process broker with configurable faults. */
export class MemoryBroker {
  readonly names = natsNames('p');
  readonly #sessions = new Set<MemorySession>();
  isUp = true;
  /** Subscriptions to these are refused. */
  readonly refused = new Set<string>();
  /** Subscribing to one of these addresses ends the session. */
  readonly poisonous = new Set<string>();
  /** Every message comes twice. */
  doubles = false;
  /** Delivers messages without confirming them. */
  isMute = false;
  /** Subscriptions wait for this. */
  confirms: Promise<void> = Promise.resolve();

  wire(): Wire {
    return {
      names: this.names,
      open: async (listener) => {
        await soon();
        if (!this.isUp) throw new Error('the broker is down');
        const session = new MemorySession(this, listener);
        this.#sessions.add(session);
        return session;
      },
    };
  }

  /** Every session is lost, and none can be had until `isUp` is set. */
  stop(): void {
    this.isUp = false;
    this.cut();
  }

  /** Every session is lost; others can be had. */
  cut(): void {
    for (const session of this.#sessions) session.lose();
  }

  /** Sends a message that no node would send. */
  inject(address: string, bytes: string | Uint8Array): void {
    for (const session of this.#sessions) session.take(address, Buffer.from(bytes));
  }

  /** Returns the number of sessions subscribed to an address. */
  subscribers(address: string): number {
    return [...this.#sessions].filter((session) => session.hears(address)).length;
  }

  forget(session: MemorySession): void {
    this.#sessions.delete(session);
  }

  /** To how many sessions. */
  carry(address: string, bytes: Uint8Array): number {
    const takers = [...this.#sessions].filter((session) => session.hears(address));
    for (const session of takers) {
      for (let time = 0; time < (this.doubles ? 2 : 1); time += 1) session.take(address, bytes);
    }
    return takers.length;
  }
}

class MemorySession implements Session {
  readonly addresses = new Set<string>();
  readonly lanes: MemoryLanes;
  #isOver = false;
  #over: () => void = () => {};
  readonly #untilOver = new Promise<void>((resolve) => (this.#over = resolve));

  constructor(
    private readonly broker: MemoryBroker,
    private readonly listener: SessionListener,
  ) {
    this.lanes = new MemoryLanes({
      names: broker.names,
      isOver: () => this.#isOver,
      carry: async (address, text) => {
        await soon();
        return broker.carry(address, Buffer.from(text));
      },
      confirms: () => broker.confirms,
      isRefused: (address) => broker.refused.has(address),
    });
  }

  hears(address: string): boolean {
    return !this.#isOver && (this.#heardAs(address).length > 0 || this.lanes.has(address));
  }

  /** Returns the subscriptions that match an address: itself and a NATS wildcard. */
  #heardAs(address: string): readonly string[] {
    const pattern = `${address.slice(0, address.lastIndexOf('.') + 1)}*`;
    return [address, pattern].filter((one) => this.addresses.has(one));
  }

  async publish(address: string, text: string): Promise<void> {
    await soon();
    if (this.#isOver) throw new SessionLost();
    this.broker.carry(address, Buffer.from(text));
    if (this.broker.isMute) await this.#untilOver;
    if (this.#isOver) throw new SessionLost();
  }

  async subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    await this.broker.confirms;
    if (this.#isOver) throw new SessionLost();
    if (addresses.some((address) => this.broker.poisonous.has(address))) {
      this.lose();
      throw new SessionLost();
    }
    const taken = addresses.filter((address) => !this.broker.refused.has(address));
    for (const address of taken) this.addresses.add(address);
    return addresses.filter((address) => this.broker.refused.has(address));
  }

  async unsubscribe(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) this.addresses.delete(address);
  }

  async check(): Promise<void> {
    await soon();
    if (this.#isOver) throw new SessionLost();
  }

  async close(): Promise<void> {
    await soon();
    this.#end();
  }

  lose(): void {
    this.#end();
    this.listener.lost('the broker went away');
  }

  take(address: string, bytes: Uint8Array): void {
    if (this.#isOver) return;
    if (this.lanes.has(address)) this.lanes.received(address, bytes);
    else for (const heard of this.#heardAs(address)) this.listener.message(heard, bytes);
  }

  #end(): void {
    this.#isOver = true;
    this.lanes.close();
    this.#over();
    this.broker.forget(this);
  }
}
