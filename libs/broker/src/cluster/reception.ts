import {
  APP_CHANGED,
  BROADCAST,
  decoder,
  HEARTBEAT,
  MANAGE_NOTICE,
  MANAGE_REQUEST,
  MANAGE_RESPONSE,
  NODE_DEAD,
  NODE_LEAVING,
  RECORD,
  REQUEST,
  RESPONSE,
  ROLL_CALL,
  TOKEN_REVOKED,
} from '@carillon/contracts';
import type { ClusterFleet } from '../fleet/cluster-fleet.js';
import type { Identity } from './identity.js';
import type { Membership } from './membership.js';
import type { ClusterLog, ClusterMeters } from './meters.js';
import type { Notices } from './notices.js';
import type { Questions } from './questions.js';
import type { Traffic } from './traffic.js';

export interface ReceptionParts {
  readonly identity: Identity;
  readonly membership: Membership;
  readonly questions: Questions;
  readonly traffic: Traffic;
  readonly notices: Notices;
  readonly fleet: ClusterFleet;
  readonly maxMessageBytes: number;
  readonly meters: ClusterMeters;
  readonly log: ClusterLog;
}

const decode = decoder(
  BROADCAST,
  REQUEST,
  RESPONSE,
  HEARTBEAT,
  ROLL_CALL,
  NODE_LEAVING,
  NODE_DEAD,
  APP_CHANGED,
  TOKEN_REVOKED,
  RECORD,
  MANAGE_REQUEST,
  MANAGE_RESPONSE,
  MANAGE_NOTICE,
);

/** Decodes messages of other processes, drops invalid ones, and dispatches the rest by kind. */
export class Reception {
  constructor(private readonly parts: ReceptionParts) {}

  /** Never throws. */
  receive(address: string, bytes: Uint8Array): void {
    const { identity, membership, questions, traffic, notices, fleet, maxMessageBytes } = this.parts;
    const decoded = decode(bytes, maxMessageBytes);
    if (!decoded.ok) {
      if (decoded.reason !== 'unknown-kind') this.#drop(decoded.reason, decoded.detail);
      return;
    }
    const { message } = decoded;
    if (message.kind === 'record') {
      // It comes from a writer, which is no node with sockets, and may be this very process.
      const wrong = traffic.receiveRecord(address, message);
      if (wrong !== null) this.#drop('malformed', wrong);
      return;
    }
    const { node_id: sender = '' } = message;
    if (identity.isMine(sender)) return;
    membership.members.heard(sender, performance.now());
    switch (message.kind) {
      case 'broadcast': {
        const wrong = traffic.receive(address, message);
        if (wrong !== null) this.#drop('malformed', wrong);
        break;
      }
      case 'request':
      case 'token_revoked':
        questions.request(message);
        break;
      case 'response':
        questions.response(message);
        break;
      case 'heartbeat':
        membership.heartbeat(message);
        break;
      case 'roll_call':
        membership.rollCall(message);
        break;
      case 'node_leaving':
        membership.leaving(message);
        break;
      case 'node_dead':
        membership.dead(message);
        break;
      case 'app_changed':
        notices.appChanged(message.app_id);
        break;
      case 'manage_request':
        fleet.request(message);
        break;
      case 'manage_response':
        fleet.response(message);
        break;
      case 'manage_notice':
        fleet.notice(message);
        break;
    }
  }

  #drop(reason: string, detail: string): void {
    this.parts.meters.dropped();
    this.parts.log.warn('message from another process dropped', { reason, detail });
  }
}
