import type { FabricNames } from '@carillon/contract';
import type { Msg, NatsConnection, Subscription } from 'nats';
import { SessionLost } from '../../cluster/wire.js';
import { addressName } from '../../lanes/address-key.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';

/** Of those who serve a subject in this group one gets each request. */
const GROUP = 'writers';

export interface NatsLanesParts {
  readonly connection: NatsConnection;
  readonly names: FabricNames;
  /** Settles when the server has everything that was sent before. */
  readonly passed: () => Promise<void>;
}

/** Requests of lanes over NATS, which has requests, private inboxes and word of missing responders of its own. */
export class NatsLanes implements LaneLine {
  readonly #served = new Map<string, Subscription>();

  constructor(private readonly parts: NatsLanesParts) {}

  async call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const { connection, names } = this.parts;
    try {
      const reply = await connection.request(addressName(names, address), text, { timeout: budgetMs });
      return { kind: 'reply', text: reply.string() };
    } catch (error) {
      if (connection.isClosed()) throw new SessionLost();
      return { kind: isNoResponders(error) ? 'no_responder' : 'silent' };
    }
  }

  async serve(address: LaneAddress, take: TakeRequest): Promise<void> {
    const { connection, names, passed } = this.parts;
    if (connection.isClosed()) throw new SessionLost();
    const subject = addressName(names, address);
    const refused: { by?: Error } = {};
    const subscription = connection.subscribe(subject, {
      queue: GROUP,
      callback: (error, message) => {
        if (error === null) take(message.data, (text) => answer(message, text));
        else refused.by = error;
      },
    });
    this.#served.set(subject, subscription);
    await passed();
    if (refused.by === undefined) return;
    this.#served.delete(subject);
    throw new Error('the broker refuses the subscription', { cause: refused.by });
  }

  /** What is on its way already is still taken. */
  async stopServing(address: LaneAddress): Promise<void> {
    const subject = addressName(this.parts.names, address);
    const subscription = this.#served.get(subject);
    this.#served.delete(subject);
    if (!this.parts.connection.isClosed()) await subscription?.drain();
  }
}

function answer(message: Msg, text: string): void {
  try {
    message.respond(text);
  } catch {
    // The connection is gone: whoever asked asks again.
  }
}

/** The client may wrap it. */
function isNoResponders(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one.name === 'NoResponders') return true;
  return false;
}
