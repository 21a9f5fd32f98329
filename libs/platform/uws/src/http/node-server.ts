import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { UwsServer } from '../server/uws-server.js';

/** Stand-in for the Node server expected by Nest's core, which only listens for `error` and reads the address. */
export class NodeServerStandIn extends EventEmitter {
  readonly #server: UwsServer;

  constructor(server: UwsServer) {
    super();
    this.#server = server;
  }

  address(): AddressInfo | string | null {
    const { address } = this.#server;
    if (address === null) return null;
    if (address.kind === 'unix') return address.path;
    const family = address.host.includes(':') ? 'IPv6' : 'IPv4';
    return { address: address.host, port: address.port, family };
  }
}
