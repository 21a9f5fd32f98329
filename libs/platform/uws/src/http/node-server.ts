import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { UwsServer } from '../server/uws-server.js';

/** What Nest's core takes for a Node server: it listens for `error` and asks for the address, nothing else. */
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
