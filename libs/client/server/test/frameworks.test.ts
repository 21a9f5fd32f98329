import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as forExpress from '../src/express.js';
import * as forFastify from '../src/fastify.js';
import * as forHono from '../src/hono.js';
import { CarillonServer, type WebhookEvent } from '../src/index.js';
import { Hmac } from '../src/requests/crypto.js';

const server = new CarillonServer('http://key-1:secret-1@127.0.0.1:6001/apps/1001');
const events: WebhookEvent[] = [];
const onEvent = (event: WebhookEvent): void => {
  if (event.channel === 'broken') throw new Error('the app is broken');
  events.push(event);
};
const decide = (_: unknown, { channel }: { readonly channel: string }) =>
  channel === 'presence-a' ? { user_id: 'u' } : channel !== 'private-no';
const decideUser = () => ({ id: 'u-1' });

interface Init {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

type Ask = (path: string, init: Init) => Promise<Response>;

async function onExpress(): Promise<Ask> {
  const app = express();
  app.post('/webhook', forExpress.webhook(server, onEvent));
  app.post('/raw', express.raw({ type: '*/*' }), forExpress.webhook(server, onEvent));
  app.post('/auth', express.urlencoded(), express.json(), forExpress.channelAuth(server, decide));
  app.post('/user', forExpress.userAuth(server, decideUser));
  const listening = app.listen(0, '127.0.0.1');
  await new Promise((done) => listening.once('listening', done));
  onTestFinished(() => new Promise<void>((closed) => void listening.close(() => closed())));
  const { port } = listening.address() as AddressInfo;
  return (path, init) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { ...init.headers, Connection: 'close' } });
}

async function onFastify(): Promise<Ask> {
  const app = fastify();
  await app.register(forFastify.webhook(server, onEvent) as never, { path: '/webhook' });
  await app.register(forFastify.channelAuth(server, decide) as never, { path: '/auth' });
  await app.register(forFastify.userAuth(server, decideUser) as never, { path: '/user' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return (path, init) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { ...init.headers, Connection: 'close' } });
}

async function onHono(): Promise<Ask> {
  const app = new Hono();
  app.post('/webhook', forHono.webhook(server, onEvent));
  app.post('/auth', forHono.channelAuth(server, decide));
  app.post('/user', forHono.userAuth(server, decideUser));
  return async (path, init) => app.request(path, init);
}

const post = (body: string, headers: Record<string, string> = {}): Init => ({
  method: 'POST',
  headers,
  body,
});
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

async function hook(channel: string, change: (body: string) => string = (body) => body): Promise<Init> {
  const body = JSON.stringify({ time_ms: 1, events: [{ name: 'channel_occupied', channel }] });
  const signature = await new Hmac('secret-1').hex(body);
  return post(change(body), { ...JSON_TYPE, 'X-Pusher-Key': 'key-1', 'X-Pusher-Signature': signature });
}

const asked = (channel: string) =>
  new URLSearchParams({ socket_id: '1.2', channel_name: channel }).toString();

describe.each([
  ['Express', onExpress],
  ['Fastify', onFastify],
  ['Hono', onHono],
] as const)('handlers for %s', (_, open) => {
  it('answer webhooks with 200, 401 for a wrong signature, and 500 if the app fails', async () => {
    const ask = await open();
    events.length = 0;
    const statuses = [];
    for (const init of [await hook('a'), await hook('a', (body) => `${body} `), await hook('broken')])
      statuses.push((await ask('/webhook', init)).status);
    expect(statuses).toEqual([200, 401, 500]);
    expect(events).toEqual([{ name: 'channel_occupied', channel: 'a' }]);
  });

  it('sign channels of form and JSON bodies, and refuse others', async () => {
    const ask = await open();
    const signed = await ask('/auth', post(asked('presence-a'), FORM));
    expect(await signed.json()).toEqual(await server.authorizeChannel('1.2', 'presence-a', { user_id: 'u' }));
    const json = post(JSON.stringify({ socket_id: '1.2', channel_name: 'private-a' }), JSON_TYPE);
    expect(await (await ask('/auth', json)).json()).toEqual(
      await server.authorizeChannel('1.2', 'private-a'),
    );
    expect((await ask('/auth', post(asked('private-no'), FORM))).status).toBe(403);
    expect((await ask('/auth', post('socket_id=x&channel_name=private-a', FORM))).status).toBe(400);
    expect((await ask('/auth', post('', FORM))).status).toBe(400);
    expect(await (await ask('/user', post('socket_id=1.2', FORM))).json()).toEqual(
      await server.authenticateUser('1.2', { id: 'u-1' }),
    );
  });
});

it('the middleware for Express takes a raw body and names the setting if it was parsed', async () => {
  const ask = await onExpress();
  events.length = 0;
  expect((await ask('/raw', await hook('b'))).status).toBe(200);
  expect(events).toHaveLength(1);
  const parsed = forExpress.webhook(server, onEvent);
  const error = await new Promise<unknown>((next) =>
    parsed({ headers: {}, body: {} } as never, {} as never, next),
  );
  expect(String(error)).toContain('express.raw');
});
