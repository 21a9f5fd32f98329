import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { OPCODE } from '../load/frame-counter.js';
import { RawSocket } from '../load/raw-socket.js';

const UPGRADED = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';

/** As a server writes it: unmasked and short. @param {number} opcode @param {Buffer | string} payload */
const frame = (opcode, payload) =>
  Buffer.concat([Buffer.from([0x80 | opcode, Buffer.byteLength(payload)]), Buffer.from(payload)]);

/** @type {import('node:net').Server[]} */
const servers = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A client whose server greets and then does as told. @param {(peer: import('node:net').Socket) => void} then */
async function greeted(then) {
  const server = createServer((peer) => {
    peer.on('error', () => {});
    peer.once('data', () => {
      peer.write(Buffer.concat([Buffer.from(UPGRADED), frame(OPCODE.text, 'connection_established')]));
      then(peer);
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const credentials = { app: '', key: '', secret: '' };
  const client = new RawSocket({ host: '127.0.0.1', port, authority: 'x', path: '/', credentials }, '/app/k');
  await client.open();
  return client;
}

describe('raw socket', () => {
  it('answers the question whether it is still there, and does not count it as a message', async () => {
    /** @type {Promise<unknown>} */
    let answer = Promise.resolve();
    const client = await greeted((peer) => {
      answer = once(peer, 'data');
      peer.write(frame(OPCODE.text, '{"event":"pusher:ping"}'));
    });
    expect(String(await answer)).toContain('pusher:pong');
    expect(client.messages).toBe(1);
    client.drop();
  });

  it('knows the code it was closed with', async () => {
    const client = await greeted((peer) => peer.end(frame(OPCODE.close, Buffer.from([0x10, 0x04]))));
    if (!client.socket.destroyed) await once(client.socket, 'close');
    expect(client.closeCode).toBe(4100);
  });

  it('says 1006 when the connection ends without a code, and 0 while it is open', async () => {
    /** @type {import('node:net').Socket | null} */
    let server = null;
    const client = await greeted((peer) => {
      server = peer;
    });
    expect(client.closeCode).toBe(0);
    /** @type {import('node:net').Socket | null} */ (server)?.destroy();
    await once(client.socket, 'close');
    expect(client.closeCode).toBe(1006);
  });
});
