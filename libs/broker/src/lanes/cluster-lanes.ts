import type { FanOutRecordBody } from '@carillon/contracts';
import { SessionLost, type Session } from '../cluster/wire.js';
import { addressKey } from './address-key.js';
import type { TakeRequest } from './line.js';
import type { AnnouncementListener, Heard, LaneAddress, LaneBroker, LaneHandler } from './port.js';

export interface ClusterLanesParts {
  readonly maxBytes: number;
  /** Address of writer announcements. */
  readonly writers: string;
  /** Resolves when messages to the address arrive here; undefined if they already do. */
  readonly subscribe: (address: string) => Promise<void> | undefined;
  readonly handOver: (record: FanOutRecordBody) => Promise<void>;
  /** Called for a request that was dropped or failed. */
  readonly onDropped: (reason: string) => void;
}

interface Served {
  readonly address: LaneAddress;
  readonly take: TakeRequest;
  readonly confirmed: Promise<void>;
  readonly confirm: () => void;
  readonly refuse: (error: Error) => void;
}

const SILENT: Heard = { kind: 'silent' };
const NO_RESPONDER: Heard = { kind: 'no_responder' };

/** Lane side of a cluster broker: served lanes are served again in every new session. */
export class ClusterLanes implements LaneBroker {
  readonly maxBytes: number;
  readonly #served = new Map<string, Served>();
  #session: Session | null = null;
  #listener: AnnouncementListener | null = null;
  #isClosed = false;

  constructor(private readonly parts: ClusterLanesParts) {
    this.maxBytes = parts.maxBytes;
  }

  async call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const session = this.#session;
    if (session === null) return NO_RESPONDER;
    if (Buffer.byteLength(text) > this.maxBytes) return SILENT;
    try {
      return await session.lanes.call(address, text, Math.max(1, Math.floor(budgetMs)));
    } catch (error) {
      return error instanceof SessionLost ? NO_RESPONDER : SILENT;
    }
  }

  async serve(address: LaneAddress, handler: LaneHandler): Promise<void> {
    if (this.#isClosed) throw new Error('the broker is closed');
    const key = addressKey(address);
    if (this.#served.has(key)) throw new Error(`${key} is served already`);
    const served = newServed(address, (bytes, answer) => this.#take(handler, bytes, answer));
    this.#served.set(key, served);
    if (this.#session !== null) void this.#begin(served, this.#session);
    return served.confirmed;
  }

  async stopServing(address: LaneAddress): Promise<void> {
    const key = addressKey(address);
    const served = this.#served.get(key);
    if (served === undefined) return;
    this.#served.delete(key);
    served.refuse(new Error('the address is not wanted any more'));
    await this.#session?.lanes.stopServing(address).catch(() => undefined);
  }

  async announce(text: string): Promise<void> {
    if (this.#session === null) throw new SessionLost('not connected');
    await this.#session.publish(this.parts.writers, text);
  }

  async hear(listener: AnnouncementListener): Promise<void> {
    if (this.#listener !== null && this.#listener !== listener)
      throw new Error('announcements are heard already');
    this.#listener = listener;
    await this.parts.subscribe(this.parts.writers);
  }

  handOver(record: FanOutRecordBody): Promise<void> {
    return this.parts.handOver(record);
  }

  /** Handles a message under an address of the lanes; returns whether it was one. */
  received(address: string, bytes: Uint8Array): boolean {
    if (address !== this.parts.writers) return false;
    this.#listener?.(bytes);
    return true;
  }

  attach(session: Session): void {
    this.#session = session;
    for (const served of this.#served.values()) void this.#begin(served, session);
  }

  detach(): void {
    this.#session = null;
  }

  close(): void {
    this.#isClosed = true;
    this.detach();
    for (const served of this.#served.values()) served.refuse(new Error('the broker is closed'));
    this.#served.clear();
  }

  async #begin(served: Served, session: Session): Promise<void> {
    try {
      await session.lanes.serve(served.address, served.take);
      served.confirm();
    } catch (error) {
      // The next session begins it again.
      if (error instanceof SessionLost) return;
      const key = addressKey(served.address);
      if (this.#served.get(key) === served) this.#served.delete(key);
      served.refuse(error instanceof Error ? error : new Error('refused by the broker'));
    }
  }

  #take(handler: LaneHandler, bytes: Uint8Array, answer: (text: string) => void): void {
    if (bytes.byteLength > this.maxBytes) {
      this.parts.onDropped(`over ${this.maxBytes} bytes`);
      return;
    }
    void this.#work(handler, Buffer.from(bytes).toString('utf8'), answer);
  }

  async #work(handler: LaneHandler, text: string, answer: (text: string) => void): Promise<void> {
    try {
      const reply = await handler(text);
      if (reply !== null) answer(reply);
    } catch {
      this.parts.onDropped('the handler failed');
    }
  }
}

function newServed(address: LaneAddress, take: TakeRequest): Served {
  let [confirm, refuse]: [() => void, (error: Error) => void] = [() => {}, () => {}];
  const confirmed = new Promise<void>((resolve, reject) => {
    [confirm, refuse] = [resolve, reject];
  });
  // The server must not wait for the confirmation.
  confirmed.catch(() => undefined);
  return { address, take, confirmed, confirm, refuse };
}
