import * as Ably from 'ably';
import { RawSocketClient } from '@carillon/testing';
import { Inbox } from '../clients/inbox.js';
import type { Node } from '../harness/node.js';
import type { Tenant } from '../harness/tenant.js';
import { keyOf } from './key.js';

/** What a connection keeps of its transport, which no test double stands in for. */
interface Transported {
  readonly connectionManager: {
    readonly activeProtocol: { readonly transport: { readonly wsConnection: { terminate(): void } } } | null;
  };
}

/** Clients of one app, to be closed after each test. */
export class AblyClients {
  readonly #open: { close(): void }[] = [];

  constructor(
    private readonly node: Pick<Node, 'port'>,
    private readonly tenant: Tenant,
  ) {}

  options(options: Ably.ClientOptions = {}): Ably.ClientOptions {
    const proves = options.authCallback !== undefined || options.token !== undefined;
    const key = proves ? {} : { key: keyOf(this.tenant) };
    return { ...key, endpoint: '127.0.0.1', port: this.node.port, tls: false, ...options };
  }

  connect(options: Ably.ClientOptions = {}): Ably.Realtime {
    const client = new Ably.Realtime(this.options(options));
    this.alsoClose(client);
    return client;
  }

  rest(options: Ably.ClientOptions = {}): Ably.Rest {
    return new Ably.Rest(this.options(options));
  }

  /** A socket that is spoken to frame by frame, connected. */
  async raw(query = ''): Promise<RawSocketClient> {
    const socket = await RawSocketClient.open(this.node.port, `/?key=${keyOf(this.tenant)}${query}`);
    this.alsoClose({ close: () => socket.destroy() });
    return socket;
  }

  alsoClose(one: { close(): void }): void {
    this.#open.push(one);
  }

  close(): void {
    for (const one of this.#open.splice(0)) one.close();
  }
}

/** Ends the transport of a client without a word. */
export function cut(client: Ably.Realtime): void {
  (
    client.connection as unknown as Transported
  ).connectionManager.activeProtocol?.transport.wsConnection.terminate();
}

export const frame = async (socket: RawSocketClient): Promise<Record<string, unknown>> =>
  JSON.parse(await socket.nextText()) as Record<string, unknown>;

/** What comes on a channel from now on. */
export async function heard(channel: Ably.RealtimeChannel): Promise<Inbox<Ably.InboundMessage>> {
  const inbox = new Inbox<Ably.InboundMessage>();
  await channel.subscribe(inbox.put);
  return inbox;
}

export const post = (port: number, path: string, body: object, authorization = ''): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
  });
