import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { CarillonError } from '../src/error.js';
import {
  authenticateUser,
  authorizeChannel,
  capabilityToken,
  checkForwarded,
  signedApi,
} from '../src/server/index.js';

/** The credentials of the specification's examples. */
const docs = { appId: 'docs', key: 'app-key-7f3c', secret: 's3cr3t-for-docs-only' };
const SOCKET = '218734.4410928';

const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());

describe('what the server of an app signs', () => {
  it('is what the service expects', () => {
    expect(authorizeChannel(docs, SOCKET, 'private-orders').auth).toBe(
      'app-key-7f3c:3f5eabd8189117295aa8cd99ed849dfc2c2182a9a16e97a9fd68d1dabf9cf5a9',
    );
    expect(
      authorizeChannel(docs, SOCKET, 'presence-lobby', { user_id: 'u-17', user_info: { name: 'Ada' } }),
    ).toEqual({
      auth: 'app-key-7f3c:3c82997c9aea0f8be5f670ea93d6792979301e1ebe28ca771f8ebcefb5f52d74',
      channel_data: '{"user_id":"u-17","user_info":{"name":"Ada"}}',
    });
    expect(authenticateUser(docs, SOCKET, { id: 'u-17', watchlist: ['u-20', 'u-21'] }).auth).toBe(
      'app-key-7f3c:8f37f1efd66f5c6a49615ab3dee5bbdb486b9e9c450d4002eaa0cd833c54bd6d',
    );
  });

  it('as a token says who, what and how long', () => {
    const token = capabilityToken(docs, { clientId: 'u-17', capability: { '*': ['subscribe'] }, id: 't' });
    const [header = '', claims = ''] = token.split('.');
    expect(read(header)).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'app-key-7f3c' });
    const { iat, exp, ...rest } = read(claims) as Record<string, number>;
    expect((exp ?? 0) - (iat ?? 0)).toBe(3600);
    expect(rest).toEqual({
      'x-service-client-id': 'u-17',
      'x-service-capability': { '*': ['subscribe'] },
      jti: 't',
    });
  });

  it('goes to the service, whose refusals are errors', async () => {
    const seen: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      seen.push(request);
      response.statusCode = 404;
      response.end('{"error":"no such message","code":"not_found","status":404}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const api = signedApi(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, docs);
    const failed = await api({ method: 'GET', path: '/channels/a%3Ab/messages/s' }).catch((error) => error);
    expect(failed).toMatchObject({ message: 'no such message', status: 404 });
    expect(seen[0]?.url).toMatch(
      /^\/apps\/docs\/channels\/a%3Ab\/messages\/s\?.*auth_signature=[0-9a-f]{64}$/,
    );
    server.close();
  });
});

describe('what a browser may have signed', () => {
  const about = '/channels/chat/messages/s1';
  const body = { socket_id: SOCKET, data: 'x' };

  it('is about messages, with the rights of a connection', () => {
    expect(checkForwarded({ method: 'POST', path: `${about}/append`, body, headers: { a: 'b' } })).toEqual({
      method: 'POST',
      path: `${about}/append`,
      query: {},
      body,
    });
    expect(checkForwarded({ method: 'GET', path: about })).toMatchObject({ method: 'GET' });
    const query = { socket_id: SOCKET };
    expect(checkForwarded({ method: 'DELETE', path: `${about}/annotations/a`, query })).toMatchObject({
      query,
    });
  });

  it.each([
    ['a change with the rights of the app', { method: 'POST', path: `${about}/update`, body: { data: 'x' } }],
    ['an annotation of nobody', { method: 'POST', path: `${about}/annotations`, body: {} }],
    ['a publish', { method: 'POST', path: '/events', body }],
    ['a way around', { method: 'GET', path: '/channels/../events' }],
    ['another channel side', { method: 'POST', path: '/channels/chat/history/purge', body }],
    ['nothing', null],
    ['another method', { method: 'PUT', path: about }],
    ['push', { method: 'POST', path: '/push/deviceRegistrations', body: {} }],
  ])('is not %s', (_what, asked) => {
    expect(() => checkForwarded(asked)).toThrow(CarillonError);
  });

  it('registers devices of its user only, and speaks for a device by its token', () => {
    const path = '/push/deviceRegistrations';
    const rules = { clientId: 'ada' };
    const headers = {
      'x-service-push-capability': 'push-admin',
      'x-service-rotate-device-identity-token': '1',
    };
    expect(checkForwarded({ method: 'POST', path, headers, body: { clientId: 'bo' } }, rules)).toEqual({
      method: 'POST',
      path,
      query: {},
      headers: {},
      body: { clientId: 'ada' },
    });
    const asDevice = {
      'x-service-push-capability': 'push-subscribe',
      'x-service-device-identity-token': 't',
    };
    const subscribing = { method: 'POST', path: '/push/channelSubscriptions', body: { channel: 'c' } };
    expect(checkForwarded({ ...subscribing, headers: asDevice }, rules)).toMatchObject({ headers: asDevice });
    expect(() => checkForwarded(subscribing, rules)).toThrow('Which device?');
    const asAdmin = { ...asDevice, 'x-service-push-capability': 'push-admin' };
    expect(() => checkForwarded({ ...subscribing, headers: asAdmin }, rules)).toThrow(CarillonError);
  });
});
