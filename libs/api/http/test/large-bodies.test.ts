import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { openScene, SHOP } from './scene.js';

const HEAD = 'Host: x\r\nContent-Length: 5000000\r\n\r\n';

/** Returns the answer to a head whose body never arrives. */
const answerTo = (port: number, head: string): Promise<string> =>
  new Promise((answered, failed) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    socket.once('error', failed);
    socket.once('data', (bytes) => {
      answered(bytes.toString('latin1'));
      socket.destroy();
    });
  });

it('a large body is refused at its head unless whoever sends it knows the secret', async () => {
  const { port } = await openScene();
  for (const query of ['', 'auth_key=nobody&auth_timestamp=1&auth_signature=ab', 'auth_key=%']) {
    const answer = await answerTo(port, `POST /apps/${SHOP.id}/events?${query} HTTP/1.1\r\n${HEAD}`);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
  }
});
