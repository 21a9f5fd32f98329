import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyMissing } from '@carillon/test-backends';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CloudRoom, CREDENTIALS } from './room.js';

const { signal } = new AbortController();
const ADC = { provider: 'fcm', projectId: null, access: { kind: 'applicationDefault' } } as const;

interface Metadata {
  /** Absent: the server has no token at the moment. */
  token?: string;
  readonly asked: string[];
}

/** The metadata server of a machine at Google, as far as credentials need it. */
async function metadataServer(): Promise<Metadata> {
  const metadata: Metadata = { asked: [] };
  const server = createServer(({ url = '', headers }, response) => {
    metadata.asked.push(url);
    response.setHeader('metadata-flavor', 'Google');
    if (headers['metadata-flavor'] !== 'Google') response.writeHead(403).end();
    else if (url.includes('/project/project-id')) response.end('a-project');
    else if (!url.includes('/token')) response.end('{}');
    else if (metadata.token === undefined) response.writeHead(404).end();
    else response.end(JSON.stringify({ access_token: metadata.token, expires_in: 3600 }));
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  vi.stubEnv('GCE_METADATA_HOST', `127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
  vi.stubEnv('CLOUDSDK_CONFIG', join(tmpdir(), 'no-login-of-gcloud'));
  return metadata;
}

describe.runIf(whyMissing('push-clouds') === null)('FCM with application default credentials', () => {
  it('reports a missing token, then sends with token and project of the metadata server', async () => {
    const room = await CloudRoom.open();
    const metadata = await metadataServer();
    const client = await room.open(ADC);
    onTestFinished(() => client.close());
    expect(await client.send(room.request('fcm', 'phone'), signal)).toMatchObject({
      kind: 'rejected',
      failureClass: 'credential_auth',
      reason: 'no_default_credentials',
    });
    metadata.token = await grantedToken(room);
    const sends = Array.from({ length: 20 }, (_, n) =>
      client.send(room.request('fcm', `phone ${n}`), signal),
    );
    expect((await Promise.all(sends)).map(({ kind }) => kind)).toEqual(Array(20).fill('accepted'));
    expect(metadata.asked.filter((url) => url.includes('/token'))).toHaveLength(2);
    expect(metadata.asked.some((url) => url.includes('/project/project-id'))).toBe(true);
  });

  it('fetches another token once and repeats the sends when the cloud refuses the cached one', async () => {
    const { room, metadata, client, send, tokens } = await sending();
    await room.say({ do: 'forget-grants' });
    metadata.token = await grantedToken(room);
    const sends = await Promise.all(Array.from({ length: 20 }, (_, n) => send(`phone ${n}`)));
    expect(sends.map(({ kind }) => kind)).toEqual(Array(20).fill('accepted'));
    expect(tokens()).toBe(2);
    await client.close();
  });

  it('reports the refusal without another send when the metadata server returns the same token', async () => {
    const { room, client, send, tokens } = await sending();
    await room.say({ do: 'forget-grants' });
    const before = await arrivals(room);
    expect(await send('phone')).toMatchObject({ kind: 'rejected', failureClass: 'credential_auth' });
    expect(await send('phone')).toMatchObject({ kind: 'rejected', failureClass: 'credential_auth' });
    expect((await arrivals(room)) - before).toBe(2);
    expect(tokens()).toBe(2);
    await client.close();
  });
});

/** A client that has sent once with the token of the metadata server. */
async function sending() {
  const room = await CloudRoom.open();
  const metadata = await metadataServer();
  metadata.token = await grantedToken(room);
  const client = await room.open(ADC);
  onTestFinished(() => client.close());
  const send = (phone: string) => client.send(room.request('fcm', phone), signal);
  expect(await send('first')).toMatchObject({ kind: 'accepted' });
  const tokens = (): number => metadata.asked.filter((url) => url.includes('/token')).length;
  return { room, metadata, client, send, tokens };
}

const arrivals = async (room: CloudRoom): Promise<number> => (await room.arrived('fcm')).arrived.length;

/** An access token accepted by the stand-in, taken from a send with a service account. */
async function grantedToken(room: CloudRoom): Promise<string> {
  const client = await room.open(CREDENTIALS.fcm);
  await client.send(room.request('fcm', 'another'), signal);
  await client.close();
  const { arrived } = await room.arrived('fcm');
  return String(arrived.at(-1)?.headers['authorization']).replace('Bearer ', '');
}
