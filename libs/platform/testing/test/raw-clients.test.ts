import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameBytes, freePort, OPCODE, RawConnection, rawHttp, requestBytes } from '../src/index.js';

describe('raw clients', () => {
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = createServer((request, response) => {
      response.setHeader('x-seen', `${request.method} ${request.url}`);
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.end(request.method === 'HEAD' ? undefined : 'body');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => server.close());

  it('read status, headers and body, also after HEAD', async () => {
    expect(await rawHttp(port, { path: '/a' })).toMatchObject({
      status: 200,
      headers: { 'x-seen': 'GET /a', 'set-cookie': 'a=1, b=2' },
      body: 'body',
    });
    expect(await rawHttp(port, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  it('say what came when they wait in vain, and see the end of a connection', async () => {
    const connection = await RawConnection.open(port);
    connection.write(requestBytes({ headers: { Connection: 'close' } }));
    expect(await connection.untilEnd()).toBe(true);
    await expect(connection.untilText('nothing of the kind')).rejects.toThrow('200 OK');
    await expect(RawConnection.open(await freePort())).rejects.toThrow('ECONNREFUSED');
  });

  it.each([0, 125, 126, 65_535, 65_536])(
    'mask a payload of %i bytes so that it can be read back',
    (length) => {
      const frame = frameBytes(OPCODE.binary, Buffer.alloc(length, 7));
      const mask = frame.subarray(frame.length - length - 4, frame.length - length);
      const payload = frame
        .subarray(frame.length - length)
        .map((byte, index) => byte ^ (mask[index % 4] ?? 0));
      expect(frame[0]).toBe(0x82);
      expect(payload.every((byte) => byte === 7)).toBe(true);
      expect(frame.length - length).toBe(length < 126 ? 6 : length < 65_536 ? 8 : 14);
    },
  );
});
