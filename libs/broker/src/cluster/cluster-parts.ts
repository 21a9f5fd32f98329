import type { OnListenerFault } from '../listener-fault.js';
import type { MembershipOptions } from './membership.js';
import type { ClusterLog, ClusterMeters, ClusterReadings } from './meters.js';
import type { Wire } from './wire.js';

/** Settings of an installation of several processes. */
export interface ClusterOptions extends MembershipOptions {
  readonly lingerMs: number;
  readonly confirmTimeoutMs: number;
  readonly coalesceMs: number;
  readonly coalesceMax: number;
  readonly requestTimeoutMs: number;
  /** Minimum timeout of a quick request. */
  readonly quickTimeoutMinMs: number;
  /** Nodes with sockets there should be at least, this one included; null: as many as are known. */
  readonly nodesNumber: number | null;
  readonly maxMessageBytes: number;
  /** Attempts to reconnect; null: for ever. */
  readonly maxReconnects: number | null;
}

export interface ClusterParts {
  readonly wire: Wire;
  readonly options: ClusterOptions;
  readonly newNodeId: () => string;
  readonly onFault: OnListenerFault;
  readonly meters: (readings: () => ClusterReadings) => ClusterMeters;
  readonly log: ClusterLog;
}
