import { CompatError, type CompatCore, type Principal } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import type { Edge, Hub } from '@carillon/realtime';
import type { Logger } from '@carillon/runtime';
import type { Arrival } from './arrival.js';
import type { Codecs } from './codecs.js';
import { connectedFrame } from './connected.js';
import { CompatConnection } from './connection.js';
import type { Counted } from './counted.js';
import type { Life } from './life.js';
import type { Members } from './presence.js';
import type { FrameWriter } from './frame-writer.js';
import type { Session, Sessions } from './sessions.js';
import type { Transport } from './transport.js';

export interface ConnectionAdmissionParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly hub: Hub;
  readonly edge: Edge;
  readonly log: Logger;
  readonly codecs: Codecs;
  readonly counted: Counted;
  readonly said: FrameWriter;
  readonly life: Life;
  readonly members: Members;
  readonly sessions: Sessions;
}

/** Admits connections, whatever their transport: authentication, quotas, resume, CONNECTED. */
export class ConnectionAdmission {
  constructor(private readonly parts: ConnectionAdmissionParts) {}

  /**
   * Sends CONNECTED over the transport. Rejects with the CompatError to report to the client; nothing is admitted then.
   */
  async admit(transport: Transport, arrival: Arrival): Promise<CompatConnection> {
    const { config, counted, hub, life, log } = this.parts;
    try {
      if (config.compat.realtime_admission === 'placement_constraint')
        throw new CompatError(50_320, 'no connection may be placed here');
      if (!life.hasRoom(arrival.wanted !== null))
        throw new CompatError(50_003, 'no more connections are taken here', 503);
      const principal = await arrival.prove();
      const place = await hub.places.take(principal.app);
      if (place === false) throw new CompatError(50_004, 'too many connections');
      return await this.#admit(transport, arrival, principal, place === true);
    } catch (error) {
      const told = error instanceof CompatError ? error : new CompatError(50_000, 'service unavailable', 503);
      if (!(error instanceof CompatError)) log.warn('connection not let in', { error });
      counted.refused(told);
      throw told;
    }
  }

  async #admit(
    transport: Transport,
    arrival: Arrival,
    principal: Principal,
    holdsPlace: boolean,
  ): Promise<CompatConnection> {
    const { hub, counted, life, said, config } = this.parts;
    const session = await this.#session(transport, arrival, principal, holdsPlace);
    if (arrival.wanted !== null) counted.cameBack(session.error);
    const appHub = hub.hubs.of(principal.app);
    const { connectionId, keyHash, takenHash } = session;
    const former = takenHash === null ? null : life.former(appHub.appId, connectionId, takenHash);
    const { manner } = arrival;
    const codec = this.parts.codecs.of({ format: manner.format, channelText: null, modes: 0, filter: null });
    const about = { principal, manner, keyHash };
    const { edge } = this.parts;
    const connection = new CompatConnection(connectionId, appHub, edge, codec, about, former?.receipts);
    connection.holdsPlace = holdsPlace;
    connection.origin = arrival.from;
    connection.mayRepeat = takenHash !== null && former === null;
    if (!transport.isOpen || hub.places.full(principal.app) !== null) {
      hub.places.giveBack(connection);
      throw new CompatError(50_004, 'too many connections');
    }
    connection.socket = transport;
    connection.transport = transport;
    transport.state = connection;
    life.begin(connection);
    said.say(connection, connectedFrame(connection, session, config.instance.process_id));
    if (takenHash !== null) this.#comeBack(connection, former, takenHash);
    return connection;
  }

  /** A connection is not resumed if its new transport has closed in the meantime. */
  async #session(
    { isOpen }: Transport,
    { wanted, attachesAnew }: Arrival,
    principal: Principal,
    holdsPlace: boolean,
  ): Promise<Session> {
    try {
      if (!isOpen) throw new CompatError(50_004, 'the socket has closed');
      return await this.parts.sessions.open(wanted, principal, attachesAnew);
    } catch (error) {
      if (holdsPlace) this.parts.hub.places.giveUp(principal.app);
      throw error;
    }
  }

  /** It stays the members that it was, wherever that was. */
  #comeBack(connection: CompatConnection, former: CompatConnection | null, keyHash: string): void {
    const { takings, onTrouble } = this.parts.hub;
    const { id: socketId, hub } = connection;
    const kept =
      former === null
        ? takings
            .take(hub.appId, { socketId, keyHash })
            .then((all) => this.parts.members.keep(connection, all))
        : this.parts.members.keep(connection, former.memberships());
    connection.comingBack = kept.catch((error: unknown) =>
      onTrouble('members of a connection that is back', error),
    );
  }
}
