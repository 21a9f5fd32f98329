import type { ConnectionRecord } from '../model/records.js';
import type { Node } from '../nodes/node.js';
import type { Random } from '../random.js';
import { now, sleep } from '../wait.js';
import { EVENT } from './backend.js';
import { type Frame, Socket } from './socket.js';

const RECONNECT_MS = 50;

/** A client that stays connected: when its connection ends it opens another, to any gateway that lets it in. */
export class Subscriber {
  /** Every connection it had. */
  readonly connections: ConnectionRecord[] = [];
  #socket: Socket | null = null;
  #isDone = false;

  constructor(
    readonly name: string,
    private readonly gateways: readonly Node[],
    private readonly channels: readonly string[],
    private readonly random: Random,
  ) {}

  /** Resolves when every channel is confirmed on this gateway. */
  async begin(gateway: Node): Promise<void> {
    await this.#connect(gateway);
  }

  /** The connection that is open now with all channels confirmed; null: there is none. */
  get current(): ConnectionRecord | null {
    const last = this.connections.at(-1);
    return last?.end === null && last.confirmedAtMs.size === this.channels.length ? last : null;
  }

  /** Goes without a word, to come again. */
  hangUp(): void {
    this.#socket?.vanish();
  }

  stop(): void {
    this.#isDone = true;
    this.#socket?.vanish();
  }

  async #connect(gateway: Node): Promise<void> {
    const record: ConnectionRecord = {
      name: `${this.name}.${this.connections.length + 1}`,
      gateway: gateway.name,
      confirmedAtMs: new Map(),
      received: new Map(this.channels.map((channel) => [channel, []])),
      end: null,
    };
    const socket = await Socket.open(gateway.port, (frame) => this.#take(record, frame));
    this.#socket = socket;
    this.connections.push(record);
    void this.#watch(socket, record);
    try {
      for (const channel of this.channels) {
        await socket.subscribe(channel);
        record.confirmedAtMs.set(channel, now());
      }
    } catch (error) {
      // It may try again on another connection.
      socket.vanish();
      throw error;
    }
  }

  async #watch(socket: Socket, record: ConnectionRecord): Promise<void> {
    const code = await socket.ended;
    if (this.#isDone) return;
    record.end = { atMs: now(), code };
    await this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    while (!this.#isDone) {
      await sleep(this.random.between(0, RECONNECT_MS));
      const gateway = this.random.pick(this.gateways);
      if (!gateway.isRunning) continue;
      const before = this.connections.length;
      try {
        await this.#connect(gateway);
        return;
      } catch {
        // One that was opened and failed later is watched, and leads here again.
        if (this.connections.length > before) return;
      }
    }
  }

  #take(record: ConnectionRecord, { event, channel = '', data }: Frame): void {
    if (event !== EVENT) return;
    const { publisher, number } = JSON.parse(String(data)) as { publisher: string; number: number };
    record.received.get(channel)?.push({ publisher, number });
  }
}
