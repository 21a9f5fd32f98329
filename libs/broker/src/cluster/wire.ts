import type { BrokerNames } from '@carillon/contracts';
import type { BrokerHost } from './broker-hosts.js';
import type { LaneLine } from '../lanes/line.js';

/** A session became unusable. All other rejections of a session concern one message only. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost';
}

/** The broker confirmed a batch except for messages to these addresses. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(readonly addresses: ReadonlySet<string>) {
    super('the broker does not allow it');
  }
}

/** Receives events of a session, synchronously; none after `lost`. */
export interface SessionListener {
  /** The bytes are valid during the call only. */
  message(address: string, bytes: Uint8Array): void;
  /** The broker dropped subscriptions; they must be made again. */
  dropped(addresses: readonly string[]): void;
  lost(reason: string): void;
}

/**
 * One connection to a broker, from its establishment until its loss; never reused. Pending and later calls reject
 * with `SessionLost`.
 */
export interface Session {
  /** Requests to the servers of commit lanes. */
  readonly lanes: LaneLine;
  /** Whether the address of all channels of an app can be subscribed to. Absent: it can. */
  readonly hasPatterns?: boolean;
  /**
   * Resolves when the broker has confirmed the message. Messages confirmed together may share a promise, which
   * rejects with `Refused` if some were refused. Messages of one address and key arrive in call order. Absent key:
   * the empty key.
   */
  publish(address: string, text: string, key?: string): Promise<void>;
  /**
   * Resolves with the refused addresses when messages published from then on to the others arrive here. Never called
   * while another call of it or of `unsubscribe` is in flight.
   */
  subscribe(addresses: readonly string[]): Promise<readonly string[]>;
  unsubscribe(addresses: readonly string[]): Promise<void>;
  /** Resolves when the broker responds and can serve; rejects with the reason otherwise. */
  check(): Promise<void>;
  /** Closes the session; no listener calls follow. Resolves when published messages have been flushed. Idempotent. */
  close(): Promise<void>;
}

/** A way to a broker: everything that is particular to one driver. */
export interface Wire {
  readonly names: BrokerNames;
  /** Configured broker addresses. Absent: unknown. */
  readonly hosts?: readonly BrokerHost[];
  /** One attempt, bounded in time. Leaves nothing open when it rejects. */
  open(listener: SessionListener): Promise<Session>;
  /** Called when no further connection attempt will follow. Absent: not needed. */
  givenUp?(): void;
}
