import type { FabricNames } from '@carillon/contracts';
import type { BrokerHost } from './broker-hosts.js';
import type { LaneLine } from '../lanes/line.js';

/** Why a session cannot be used any more. Everything else a session rejects with concerns one message alone. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost';
}

/** The broker took what was confirmed together, but not what was sent to these addresses. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(readonly addresses: ReadonlySet<string>) {
    super('the broker does not allow it');
  }
}

/** What a session tells, synchronously. After `lost` it tells nothing more. */
export interface SessionListener {
  /** The bytes are valid during the call only. */
  message(address: string, bytes: Uint8Array): void;
  /** The broker let go of subscriptions by itself; they are to be made again. */
  dropped(addresses: readonly string[]): void;
  lost(reason: string): void;
}

/**
 * One connection to a broker, from the moment it works until it is lost; it never comes back. Calls that wait then
 * reject with `SessionLost`, and so do later ones.
 */
export interface Session {
  /** Requests to those who serve commit lanes. */
  readonly lanes: LaneLine;
  /** Whether the address of all channels of an app can be subscribed to. Absent: it can. */
  readonly hasPatterns?: boolean;
  /**
   * Settles when the broker has it; several that it confirms together may get the same promise, which rejects with
   * `Refused` when it took only some of them. Messages of one address and key arrive in the order of the calls, whatever
   * settles when. Absent: the empty key.
   */
  publish(address: string, text: string, key?: string): Promise<void>;
  /**
   * Settles when whatever is published from then on to these addresses comes here; with those the broker refused.
   * Never called while another call of it, or of `unsubscribe`, is under way.
   */
  subscribe(addresses: readonly string[]): Promise<readonly string[]>;
  unsubscribe(addresses: readonly string[]): Promise<void>;
  /** Resolves when the broker answers and can serve; rejects with what is wrong. */
  check(): Promise<void>;
  /** Idempotent; nothing is told afterwards. Settles when what was published has left. */
  close(): Promise<void>;
}

/** A way to a broker: everything that is particular to one driver. */
export interface Wire {
  readonly names: FabricNames;
  /** Where the broker listens, as far as the settings say. Absent: nobody knows. */
  readonly hosts?: readonly BrokerHost[];
  /** One attempt, bounded in time. Leaves nothing open when it rejects. */
  open(listener: SessionListener): Promise<Session>;
  /** There will be no other attempt. Absent: nobody has to know. */
  givenUp?(): void;
}
