import { type FabricNames, natsNames, redisNames } from '@carillon/contract';
import type { Broker } from '../broker/broker.js';
import { NatsPeer } from './nats-peer.js';
import { RedisPeer } from './redis-peer.js';

/** `replyTo`: where the broker itself is told to send the answer; absent where brokers know of none. */
export type Heard = (address: string, text: string, replyTo?: string) => void;

/** A process that speaks to the broker with no part of the service in it, and says what it likes. */
export interface Peer {
  /** Hears what is sent to these addresses from then on. */
  hear(addresses: readonly string[], heard: Heard): Promise<void>;
  /** Resolves when the broker has it. */
  send(address: string, text: string): Promise<void>;
  close(): void;
}

export type PeerDriver = 'nats' | 'redis' | 'redis-cluster';

/** The addresses of an installation, by driver. */
export const namesOf = ({ driver, prefix }: Broker): FabricNames =>
  driver === 'nats' ? natsNames(prefix) : redisNames(prefix);

/** Connects to the broker itself, past every door. */
export function openPeer({ driver, engine }: Broker): Promise<Peer> {
  return driver === 'nats' ? NatsPeer.open(engine.port) : RedisPeer.open(engine.port);
}
