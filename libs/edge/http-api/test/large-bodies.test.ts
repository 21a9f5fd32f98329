import { RawConnection, readAnswer } from '@carillon/testing';
import { expect, it } from 'vitest';
import { openScene, SHOP } from './scene.js';

const HEAD = 'Host: x\r\nContent-Length: 5000000\r\n\r\n';

it('a large body is refused at its head unless whoever sends it knows the secret', async () => {
  const { port } = await openScene();
  for (const query of ['', 'auth_key=nobody&auth_timestamp=1&auth_signature=ab', 'auth_key=%']) {
    const connection = await RawConnection.open(port);
    connection.write(`POST /apps/${SHOP.id}/events?${query} HTTP/1.1\r\n${HEAD}`);
    expect((await readAnswer(connection)).status).toBe(401);
    connection.destroy();
  }
});
