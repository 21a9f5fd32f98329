import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Node } from '../harness/node.js';
import type { Tenant } from '../harness/tenant.js';
import { PusherServer } from './libraries.js';

const WEB = join(dirname(createRequire(import.meta.url).resolve('pusher-js/package.json')), 'dist/web');
/** 32 bytes, in base64. */
const MASTER_KEY = Buffer.from('carillon acceptance master key!!').toString('base64');

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

/**
 * A customer's own server: it authorizes its users by the `user` of the query, with the library such servers use, and
 * publishes. It also serves a page that brings pusher-js.
 */
export class Backend {
  /** The library, connected to the node. */
  readonly pusher: PusherServer;
  readonly #tenant: Tenant;
  readonly #server: Server;

  private constructor(node: Node, tenant: Tenant) {
    const credentials = { appId: tenant.id, key: tenant.key, secret: tenant.secret };
    this.pusher = new PusherServer({
      ...credentials,
      host: '127.0.0.1',
      port: String(node.port),
      useTLS: false,
      encryptionMasterKeyBase64: MASTER_KEY,
    });
    this.#tenant = tenant;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(node: Node, tenant = node.tenant): Promise<Backend> {
    const backend = new Backend(node, tenant);
    await new Promise<void>((listening) => backend.#server.listen(0, '127.0.0.1', listening));
    return backend;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const json = (value: unknown): void => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(value));
    };
    const user = searchParams.get('user') ?? '';
    if (pathname === '/channel-auth') {
      const form = await formOf(request);
      json(this.#authorize(form.get('socket_id') ?? '', form.get('channel_name') ?? '', user));
    } else if (pathname === '/user-auth') {
      const socketId = (await formOf(request)).get('socket_id') ?? '';
      const watchlist = searchParams.getAll('watch');
      json(this.pusher.authenticateUser(socketId, { id: user, user_info: { name: user }, watchlist }));
    } else if (pathname === '/pusher.js') {
      response.setHeader('Content-Type', 'text/javascript');
      response.end(readFileSync(join(WEB, 'pusher-with-encryption.js')));
    } else {
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><title>bells</title><script src="/pusher.js"></script>');
    }
  }

  /** Channels whose name holds `forged` get a signature for another channel. */
  #authorize(socketId: string, channel: string, user: string): unknown {
    const signed = channel.replace('forged', 'other');
    return channel.startsWith('presence-')
      ? this.pusher.authorizeChannel(socketId, signed, { user_id: user, user_info: { name: user } })
      : this.pusher.authorizeChannel(socketId, signed);
  }

  /** Where and how pusher-js, here or in a page, connects to the node and asks this server. */
  clientOptions(node: Node, user: string, watch: readonly string[] = []) {
    const watched = watch.map((one) => `&watch=${one}`).join('');
    return {
      cluster: 'none',
      wsHost: '127.0.0.1',
      wsPort: node.port,
      forceTLS: false,
      enabledTransports: ['ws' as const],
      channelAuthorization: { transport: 'ajax' as const, endpoint: `${this.url}/channel-auth?user=${user}` },
      userAuthentication: {
        transport: 'ajax' as const,
        endpoint: `${this.url}/user-auth?user=${user}${watched}`,
      },
    };
  }

  get key(): string {
    return this.#tenant.key;
  }
}
