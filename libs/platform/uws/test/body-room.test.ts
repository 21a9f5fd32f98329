import { RawConnection, readAnswer, rawHttp } from '@carillon/testing';
import { ServiceError } from '@carillon/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse, UwsHttpAdapter, UwsServer } from '../src/index.js';
import { startBare } from './app.js';

const head = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

const until = async (done: () => boolean): Promise<void> => {
  while (!done()) await new Promise((later) => setTimeout(later, 2));
};
const guard = (text: string): ServiceError => new ServiceError('auth_failed', { text });
const never = (): void => {
  throw new Error('the body was read');
};

describe('bodies', () => {
  let port: number;
  let adapter: UwsHttpAdapter;
  let server: UwsServer;
  const held: HttpResponse[] = [];

  beforeAll(async () => {
    ({ port, adapter, server } = await startBare({ bodyLimitBytes: 1000, bodyRoomBytes: 1500 }));
    adapter.fastRoute('POST', '/held', (_request, response) => void held.push(response));
    adapter.fastRoute('POST', '/at-once', (request, response) => response.send({ got: request.bodyLength }));
    adapter.fastRoute('POST', '/guarded', never, (_request, response) => response.fail(guard('now')));
    adapter.fastRoute('POST', '/guarded-later', never, async () => {
      await new Promise((later) => setTimeout(later, 5));
      throw guard('later');
    });
  });
  afterAll(() => server.close());

  it('of all requests together are bounded, whether they come or wait for their answer', async () => {
    const first = await RawConnection.open(port);
    first.write(head('/held', 900) + 'x'.repeat(900));
    await until(() => held.length === 1);
    const coming = await RawConnection.open(port);
    coming.write(head('/at-once', 500) + 'x'.repeat(400));
    await until(() => adapter.bodyBytes() >= 1300);
    const refused = await rawHttp(port, { method: 'POST', path: '/at-once', body: 'x'.repeat(700) });
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'close' } });
    held.shift()?.send({});
    expect((await readAnswer(first)).status).toBe(200);
    coming.destroy();
    await until(() => adapter.bodyBytes() === 0);
    const letIn = await rawHttp(port, { method: 'POST', path: '/at-once', body: 'x'.repeat(700) });
    expect(letIn).toMatchObject({ status: 200, body: '{"got":700}' });
    expect(adapter.bodyBytes()).toBe(0);
    first.destroy();
  });

  it('take no room and leave the connection open when the head is refused and they arrive in time', async () => {
    for (const path of ['/guarded', '/guarded-later']) {
      const connection = await RawConnection.open(port);
      connection.write(head(path, 900));
      connection.write('x'.repeat(900));
      expect((await readAnswer(connection)).status).toBe(401);
      connection.write(head('/at-once', 1) + 'y');
      expect((await readAnswer(connection)).body).toBe('{"got":1}');
      expect(adapter.bodyBytes()).toBe(0);
      connection.destroy();
    }
  });

  it('end the connection with the answer when the head is refused and they do not arrive', async () => {
    for (const path of ['/guarded', '/guarded-later']) {
      const connection = await RawConnection.open(port);
      connection.write(head(path, 900));
      expect(await readAnswer(connection)).toMatchObject({ status: 401, headers: { connection: 'close' } });
      expect(await connection.untilEnd()).toBe(true);
      expect(adapter.bodyBytes()).toBe(0);
    }
  });
});
