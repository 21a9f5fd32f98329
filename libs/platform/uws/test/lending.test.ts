import { POISON } from '@carillon/collections';
import { OPCODE, RawSocketClient } from '@carillon/testing';
import { Injectable } from '@nestjs/common';
import { WebSocketGateway } from '@nestjs/websockets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lendingChunks } from '../src/lending.js';
import { type NativeGateway, type Socket, type UpgradeDecision } from '../src/index.js';
import { startApp, type TestApp } from './app.js';

/** Keeps views of lent buffers, as no handler may. */
@Injectable()
@WebSocketGateway({ path: '/keeps' })
class Keeper implements NativeGateway<null> {
  readonly kept: Uint8Array[] = [];
  readonly seen: string[] = [];

  upgrade(): UpgradeDecision<null> {
    return { accept: null };
  }

  message(socket: Socket<null>, data: ArrayBuffer): void {
    this.#keep(data);
    socket.send('kept');
  }

  ping(_socket: Socket<null>, data: ArrayBuffer): void {
    this.#keep(data);
  }

  handleDisconnect(_socket: Socket<null>, _code: number, reason: ArrayBuffer): void {
    this.#keep(reason);
  }

  #keep(data: ArrayBuffer): void {
    this.seen.push(Buffer.from(data).toString());
    this.kept.push(new Uint8Array(data));
  }
}

const poisoned = (length: number): Uint8Array => new Uint8Array(length).fill(POISON);

describe('a native buffer in a test process', () => {
  let started: TestApp;
  let keeper: Keeper;

  beforeAll(async () => {
    started = await startApp({ metadata: { providers: [Keeper] } });
    keeper = started.app.get(Keeper);
  });
  afterAll(() => started.close());

  it('is whole during the callback and poisoned afterwards when a handler keeps a view of it', async () => {
    const client = await RawSocketClient.open(started.port, '/keeps');
    client.sendFrame(OPCODE.ping, 'beat');
    await client.next();
    client.sendFrame(OPCODE.binary, Buffer.from('bytes'));
    expect(await client.nextText()).toBe('kept');
    client.sendFrame(OPCODE.close, Buffer.concat([Buffer.from([0x03, 0xe8]), Buffer.from('done')]));
    await client.closeCode();
    expect(keeper.seen).toEqual(['beat', 'bytes', 'done']);
    expect(keeper.kept).toEqual([poisoned(4), poisoned(5), poisoned(4)]);
  });

  it('is poisoned after a piece of a body was taken, also when taking it throws', () => {
    const kept: Uint8Array[] = [];
    const take = lendingChunks((chunk) => {
      kept.push(chunk);
      throw new Error('not taken');
    });
    const { buffer } = Uint8Array.of(1, 2, 3);
    expect(() => take(buffer, true)).toThrow('not taken');
    expect(kept).toEqual([Buffer.from(poisoned(3))]);
    expect(new Uint8Array(buffer)).toEqual(Uint8Array.of(1, 2, 3));
  });
});
