import {
  HANDSHAKE,
  RawConnection,
  RawSocketClient,
  rawHttp,
  readAnswer,
  requestBytes,
} from '@carillon/testing';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { type HttpResponse, UwsModule } from '../src/index.js';
import { startBare } from './app.js';

const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

describe('closing a server', () => {
  it('ends requests and sockets, and tells their handlers', async () => {
    const { adapter, server, port } = await startBare();
    const held: HttpResponse[] = [];
    const closed: number[] = [];
    adapter.fastRoute('GET', '/held', (_request, response) => void held.push(response));
    adapter.socketRoute('/app', {
      upgrade: () => ({ accept: null }),
      message: () => {},
      close: (_socket, code) => void closed.push(code),
    });
    const request = await RawConnection.open(port);
    request.write(requestBytes({ path: '/held' }));
    const client = await RawSocketClient.open(port, '/app');
    while (held.length === 0) await later(2);
    server.close();
    expect(await request.untilEnd()).toBe(true);
    expect(await client.connection.untilEnd()).toBe(true);
    expect(held[0]?.aborted).toBe(true);
    expect(closed).toEqual([1006]);
    expect(adapter.inFlight()).toBe(0);
    held[0]?.send({ late: true });
  });

  it('lets connections go on when it only stops listening', async () => {
    const { adapter, server, port } = await startBare();
    adapter.fastRoute('GET', '/hello', (_request, response) => response.send({}));
    const connection = await RawConnection.open(port);
    server.stopListening();
    await expect(RawConnection.open(port)).rejects.toThrow('ECONNREFUSED');
    connection.write(requestBytes({ path: '/hello' }));
    expect((await readAnswer(connection)).status).toBe(200);
    server.close();
    expect(await connection.untilEnd()).toBe(true);
  });

  it('happens when Nest closes, and listens before Nest starts', async () => {
    const { adapter, port } = await startBare();
    adapter.gate = (request) => (request.rawPath === '/live' ? null : { status: 503, body: 'STARTING' });
    adapter.fastRoute('GET', '/live', (_request, response) => response.send('alive'));
    expect(await rawHttp(port, { path: '/live' })).toMatchObject({ status: 200, body: 'alive' });
    const early = await RawConnection.open(port);
    early.write(requestBytes({ path: '/app/k', headers: HANDSHAKE }));
    expect((await readAnswer(early)).status).toBe(503);
    early.destroy();
    const app = await NestFactory.create(UwsModule, adapter, { logger: false });
    await app.listen(0);
    adapter.gate = null;
    expect((await rawHttp(port, { path: '/live' })).status).toBe(200);
    expect((await rawHttp(port)).status).toBe(404);
    expect(await app.getUrl()).toBe(`http://127.0.0.1:${port}`);
    await app.close();
    await expect(RawConnection.open(port)).rejects.toThrow('ECONNREFUSED');
  });
});
