import { type BrokerNames, natsNames, redisNames } from '@carillon/contracts';
import type { Broker } from '../broker/broker.js';
import { NatsPeer } from './nats-peer.js';
import { RedisPeer } from './redis-peer.js';
import type { Peer } from './port.js';

/** The addresses of an installation, by driver. */
export const namesOf = ({ driver, prefix }: Broker): BrokerNames =>
  driver === 'nats' ? natsNames(prefix) : redisNames(prefix);

/** Connects to the broker itself, past every door. */
export function openPeer({ driver, engine }: Broker): Promise<Peer> {
  return driver === 'nats' ? NatsPeer.open(engine.port) : RedisPeer.open(engine.port);
}
