import { keptOf } from '@carillon/channels';
import type { Logger } from '@carillon/runtime';
import type { Caller } from '../caller.js';
import type { ActingSockets } from '../messages/parts.js';
import type { Event } from './event.js';

/**
 * Attributes the messages that an event creates to the user of the connection it names (`socket_id`), so that this user may
 * change them with the rights for own messages.
 */
export class EventOwners {
  constructor(
    /** Null if no messages are created here, or in role `api`, which cannot look up connections. */
    private readonly sockets: ActingSockets | null,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Returns null if the event needs no look-up. */
  attribute(caller: Caller, event: Event, known = new Map<string, Owner>()): Promise<Event> | null {
    const { sockets } = this;
    const { socketId } = event;
    const channel = event.channels.find((one) => keptOf(one, event.isEphemeral).history !== null);
    if (sockets === null || socketId === null || channel === undefined) return null;
    let owner = known.get(socketId);
    if (owner === undefined) {
      owner = this.#lookUp(sockets, caller.app.id, socketId, channel.name);
      known.set(socketId, owner);
    }
    return owner.then((creatorId) => (creatorId === null ? event : { ...event, creatorId }));
  }

  /** Attributes several events; each connection is looked up once. */
  async attributeAll(caller: Caller, events: readonly Event[]): Promise<readonly Event[]> {
    const known = new Map<string, Owner>();
    return Promise.all(events.map(async (event) => this.attribute(caller, event, known) ?? event));
  }

  /** A node that does not answer is likely down, and its connections with it; the message then has no owner. */
  async #lookUp(sockets: ActingSockets, app_id: string, socketId: string, channel: string): Owner {
    const { clientId, isKnown } = await sockets.identityOf(app_id, socketId, channel);
    if (!isKnown) this.log.warn('message not attributed: a node did not answer for the socket', { app_id });
    return clientId;
  }
}

type Owner = Promise<string | null>;
