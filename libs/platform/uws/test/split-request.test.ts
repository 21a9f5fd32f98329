import { RawConnection, readAnswer } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultTexts, nativeFaults } from '../src/native-faults.js';
import { startBare } from './app.js';

const REQUEST = 'GET /path?cursor=abcdefgh HTTP/1.1\r\nHost: test\r\nX-Long: value\r\n\r\n';
const LINE_END = REQUEST.indexOf('\r\n');

describe('a request that arrives in two pieces', () => {
  let bare: Awaited<ReturnType<typeof startBare>>;

  beforeAll(async () => {
    bare = await startBare();
    bare.adapter.fastRoute('GET', '/path', (_, response) => response.send('whole'));
  });
  afterAll(() => bare.server.close());

  async function statusWhenCutAt(cut: number): Promise<number> {
    const connection = await RawConnection.open(bare.port);
    connection.socket.setNoDelay();
    connection.write(REQUEST.slice(0, cut));
    await new Promise((later) => setTimeout(later, 50));
    connection.write(REQUEST.slice(cut));
    const { status } = await readAnswer(connection);
    connection.destroy();
    return status;
  }

  it('is answered wherever the headers are cut', async () => {
    const cuts = Array.from({ length: REQUEST.length - LINE_END - 3 }, (_, index) => LINE_END + 2 + index);
    const statuses = await Promise.all(cuts.map(statusWhenCutAt));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('is answered wherever its line is cut, or refused with 505 by a library known for that', async () => {
    const cuts = Array.from({ length: LINE_END - 4 }, (_, index) => index + 4);
    const statuses = await Promise.all(cuts.map(statusWhenCutAt));
    // Pieces that a busy system delivers together are one piece to any library.
    const expected = nativeFaults.refusesSplitRequestLines ? [200, 505] : [200];
    for (const status of statuses) expect(expected).toContain(status);
    expect(faultTexts(nativeFaults)).toHaveLength(nativeFaults.refusesSplitRequestLines ? 1 : 0);
  });
});
