import { answerOf, type Api, Carillon, type ClientOptions, json, type WireFormat } from '@carillon/client';
import { messagepack } from '@carillon/client/messagepack';
import { protobuf } from '@carillon/client/protobuf';
import { WebSocket } from 'ws';
import type { Node } from '../harness/node.js';
import { channelAuth, signedQuery, userAuth } from '../harness/signatures.js';
import type { Tenant } from '../harness/tenant.js';

/** Every format that the client speaks. */
export const FORMATS: readonly WireFormat[] = [json, messagepack, protobuf];

/** Clients of one app of a node, as its own server would let them in. */
export class People {
  readonly #clients: Carillon[] = [];

  constructor(
    private readonly node: Node,
    private readonly tenant: Tenant = node.tenant,
  ) {}

  /** A client that is not connected yet. */
  make(user: string, options: Partial<ClientOptions> = {}): Carillon {
    const { tenant } = this;
    const client = new Carillon({
      key: tenant.key,
      url: `ws://127.0.0.1:${this.node.port}`,
      WebSocket,
      // A test that cuts sockets does not cut the requests of the other transport.
      transports: ['websocket'],
      backoff: { initialMs: 50, maxMs: 500 },
      authorize: ({ socketId, channel }) => {
        if (!channel.startsWith('presence-')) return { auth: channelAuth(tenant, socketId, channel) };
        const channelData = JSON.stringify({ user_id: user, user_info: { name: user } });
        const auth = channelAuth(tenant, socketId, channel, channelData);
        return { auth, channel_data: channelData };
      },
      authenticate: ({ socketId }) => {
        const userData = JSON.stringify({ id: user, watchlist: ['ada', 'bo'] });
        return { auth: userAuth(tenant, socketId, userData), user_data: userData };
      },
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  /** A client that is connected. */
  async come(user: string, options: Partial<ClientOptions> = {}): Promise<Carillon> {
    const client = this.make(user, options);
    await connected(client.connect());
    return client;
  }

  /** All of them go. */
  leave(): void {
    for (const client of this.#clients.splice(0)) client.disconnect();
  }
}

/** Resolves when the client is connected. */
export const connected = (client: Carillon): Promise<void> =>
  new Promise((resolve, reject) => {
    if (client.state === 'connected') return resolve();
    const stop = client.on('state', ({ current, reason }) => {
      if (current === 'connecting') return;
      stop();
      if (current === 'connected') resolve();
      else reject(reason ?? new Error(current));
    });
  });

/** The app's own server, which signs whatever it is asked to. */
export function signing(node: Node, tenant: Tenant = node.tenant): Api {
  return async ({ method, path, query = {}, body, headers = {} }) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const full = `/apps/${tenant.id}${path}`;
    const signed = signedQuery(tenant, method, full, query, text);
    const answer = await fetch(`http://127.0.0.1:${node.apiPort}${full}?${signed}`, {
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
    });
    return answerOf(answer.status, await answer.text());
  };
}
