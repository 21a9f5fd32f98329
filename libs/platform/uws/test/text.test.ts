import { OPCODE, rawHttp, RawSocketClient } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Socket } from '../src/index.js';
import { startBare } from './app.js';

/** One that fits Latin-1 throughout, which a native library may take for bytes, and one that does not. */
const TEXTS = ['né à Zürich', 'пример €'];

describe('text', () => {
  let bare: Awaited<ReturnType<typeof startBare>>;

  beforeAll(async () => {
    bare = await startBare();
    bare.adapter.fastRoute('GET', '/text/:index', (request, response) =>
      response.send({ text: TEXTS[Number(request.params['index'])] }),
    );
    bare.adapter.socketRoute('/socket', {
      upgrade: () => ({ accept: null }),
      open: (socket: Socket<null>) => {
        socket.subscribe('topic');
        for (const text of TEXTS) socket.send(text);
      },
      message: (socket) => {
        for (const text of TEXTS) bare.server.publish('topic', text);
        socket.end(4000, TEXTS[0]);
      },
    });
  });
  afterAll(() => bare.server.close());

  it('is sent as UTF-8 in answers', async () => {
    for (const [index, text] of TEXTS.entries()) {
      const { body } = await rawHttp(bare.port, { path: `/text/${index}` });
      expect(JSON.parse(body)).toEqual({ text });
    }
  });

  it('is sent as UTF-8 on sockets: alone, by topic, and as the reason of a close', async () => {
    const client = await RawSocketClient.open(bare.port, '/socket');
    expect([await client.nextText(), await client.nextText()]).toEqual(TEXTS);
    client.sendText('go');
    const frames = [await client.next(), await client.next(), await client.next()];
    const close = frames.find(({ opcode }) => opcode === OPCODE.close);
    const texts = frames.filter(({ opcode }) => opcode === OPCODE.text);
    expect(texts.map(({ payload }) => payload.toString())).toEqual(TEXTS);
    expect(close?.payload.subarray(2).toString()).toBe(TEXTS[0]);
    client.destroy();
  });
});
