import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Pusher from 'pusher';
import { eventually } from '../harness/eventually.js';
import type { Tenant } from '../harness/tenant.js';

/** One event of a webhook. */
export type HookEvent = Readonly<Record<string, unknown>> & { readonly name: string };

/** One genuine request. */
export interface HookRequest {
  readonly id: string;
  readonly events: readonly HookEvent[];
  /** What it was answered; 0 while it is not. */
  status: number;
}

/** A customer's server, which takes a webhook for genuine when the customer's library does. */
export class Receiver {
  /** In the order they came. */
  readonly events: HookEvent[] = [];
  /** Genuine requests, in the order they came. */
  readonly requests: HookRequest[] = [];
  /** Delivery ids of all requests. */
  readonly ids: string[] = [];
  /** Bodies of genuine requests. */
  readonly bodies: string[] = [];
  /** What was not genuine. */
  readonly forged: string[] = [];
  url = '';
  /** Answers a request once its events are noted; replace it to answer otherwise, or not at all. */
  answer: (response: ServerResponse) => void = (response) => void response.end();
  readonly #server = createServer((request, response) => void this.#take(request, response));
  #library: Pusher | null = null;

  async open(): Promise<this> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
    return this;
  }

  /** Whose webhooks are genuine. */
  belongsTo({ id, key, secret }: Tenant): void {
    this.#library = new Pusher({ appId: id, key, secret, host: '127.0.0.1' });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Waits until every one of these channels was told of under this name. */
  hears(name: string, channels: readonly string[], limitMs = 30_000): Promise<void> {
    return eventually(() => {
      const heard = new Set(this.events.filter((one) => one.name === name).map(({ channel }) => channel));
      const missing = channels.filter((channel) => !heard.has(channel));
      if (missing.length > 0) throw new Error(`${name} is missing of ${missing.join(' ')}`);
    }, limitMs);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const rawBody = Buffer.concat(chunks).toString();
    const webhook = this.#library?.webhook({ headers: request.headers, rawBody });
    if (webhook?.isValid() !== true) this.forged.push(rawBody);
    else {
      const events = webhook.getEvents() as readonly unknown[] as readonly HookEvent[];
      const taken = { id: String(request.headers['x-service-webhook-id']), events, status: 0 };
      response.on('finish', () => (taken.status = response.statusCode));
      this.bodies.push(rawBody);
      this.events.push(...events);
      this.requests.push(taken);
    }
    this.ids.push(String(request.headers['x-service-webhook-id']));
    this.answer(response);
  }
}
