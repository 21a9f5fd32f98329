import { ServiceError } from '@carillon/errors';
import { Injectable } from '@nestjs/common';
import { WebSocketGateway } from '@nestjs/websockets';
import { HANDSHAKE, OPCODE, RawConnection, rawHttp, RawSocketClient, requestBytes } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpRequest, type Socket, type NativeGateway, type UpgradeDecision } from '../src/index.js';
import { startApp, type TestApp } from './app.js';

const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

const eventually = async (done: () => boolean) => {
  for (let tries = 0; tries < 500 && !done(); tries += 1) await later(5);
  expect(done()).toBe(true);
};

interface State {
  readonly key: string;
}

@Injectable()
@WebSocketGateway({ path: '/app/:appKey' })
class Echo implements NativeGateway<State> {
  readonly socketOptions = { maxPayloadBytes: 1000, maxBackpressureBytes: 200_000 };
  readonly sockets: Socket<State>[] = [];
  readonly events: string[] = [];
  /** Pending upgrades, each with the function that decides it. */
  readonly undecided: (() => void)[] = [];

  upgrade(request: HttpRequest): UpgradeDecision<State> | Promise<UpgradeDecision<State>> {
    const key = request.params['appKey'] ?? '';
    if (request.query['refuse'] === '1')
      return { refuse: new ServiceError('rate_limited', { retryAfterSeconds: 60 }) };
    if (request.query['refuse'] === '2')
      return { refuse: { status: 429, headers: { 'retry-after': '9' }, body: { message: 'own' } } };
    if (request.query['throw'] === '1') throw new Error('in upgrade');
    const accepted = { accept: { key }, headers: { 'x-welcome': 'yes' } };
    if (request.query['slow'] !== '1') return accepted;
    return new Promise((decide) => this.undecided.push(() => decide(accepted)));
  }

  decide(): void {
    for (const decide of this.undecided.splice(0)) decide();
  }

  handleConnection(socket: Socket<State>): void {
    this.sockets.push(socket);
    socket.subscribe('all');
    socket.send(`hello ${socket.state.key}`);
  }

  message(socket: Socket<State>, data: ArrayBuffer, isBinary: boolean): void {
    const text = Buffer.from(data).toString();
    if (text === 'throw') throw new Error('in message');
    if (text === 'reject') return Promise.reject(new Error('late')) as never;
    if (text === 'end') return socket.end(4200, 'x'.repeat(500));
    if (text === 'cork')
      return socket.cork(() => {
        socket.send('one');
        socket.send('two');
      });
    socket.send(data, isBinary);
  }

  ping(_socket: Socket<State>, data: ArrayBuffer): void {
    this.events.push(`ping ${Buffer.from(data).toString()}`);
  }

  dropped(): void {
    this.events.push('dropped');
  }

  handleDisconnect(socket: Socket<State>, code: number): void {
    this.events.push(`close ${socket.state.key} ${code} ${socket.send('too late')}`);
  }
}

describe('sockets', () => {
  let started: TestApp;
  let echo: Echo;
  const faults: string[] = [];
  const open = (path: string, headers = {}) => RawSocketClient.open(started.port, path, headers);

  beforeAll(async () => {
    started = await startApp({
      metadata: { providers: [Echo] },
      adapter: { onFault: (error, where) => faults.push(`${where} ${String(error.cause)}`) },
    });
    echo = started.app.get(Echo);
  });
  afterAll(() => started.close());

  it('upgrades, greets with its state and echoes text and binary', async () => {
    const client = await open('/app/k%201?a=b');
    expect(client.answer).toMatchObject({ status: 101, headers: { 'x-welcome': 'yes' } });
    expect(await client.nextText()).toBe('hello k 1');
    client.sendText('é');
    expect(await client.next()).toMatchObject({ opcode: OPCODE.text, payload: Buffer.from('é') });
    client.sendFrame(OPCODE.binary, Buffer.from([0, 255]));
    expect(await client.next()).toMatchObject({ opcode: OPCODE.binary, payload: Buffer.from([0, 255]) });
    client.sendText('cork');
    expect([await client.nextText(), await client.nextText()]).toEqual(['one', 'two']);
    client.destroy();
  });

  it('ignores one trailing slash of its path, as everywhere', async () => {
    const client = await open('/app/slash/');
    expect(client.answer.status).toBe(101);
    expect(await client.nextText()).toBe('hello slash');
    client.destroy();
    expect((await open('/app/slash//')).answer.status).toBe(404);
  });

  it('puts fragments together and answers pings', async () => {
    const client = await open('/app/k');
    await client.next();
    client.sendFrame(OPCODE.text, 'ab', { isFinal: false });
    client.sendFrame(OPCODE.ping, 'p');
    client.sendFrame(OPCODE.continuation, 'cd');
    expect(await client.next()).toMatchObject({ opcode: OPCODE.pong, payload: Buffer.from('p') });
    expect(await client.nextText()).toBe('abcd');
    expect(echo.events).toContain('ping p');
    client.destroy();
  });

  it.each([
    ['a plain request', {}],
    [
      'a wrong version',
      { Upgrade: 'websocket', 'Sec-WebSocket-Version': '8', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    ],
    [
      'a bad key',
      {
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': '!!!!!!!!!!!!!!!!!!!!!!!!',
      },
    ],
    ['a short key', { Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'abc' }],
    ['no upgrade', { 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' }],
  ])('answers 426 to %s', async (_name, headers: Record<string, string>) => {
    const answer = await rawHttp(started.port, { path: '/app/k', headers });
    expect(answer).toMatchObject({ status: 426, headers: { upgrade: 'websocket' } });
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'upgrade_required', status: 426 });
  });

  it('refuses with the JSON error body', async () => {
    const refused = await open('/app/k?refuse=1');
    expect(refused.answer).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    expect(JSON.parse(refused.answer.body)).toMatchObject({ code: 'rate_limited' });
    const own = await open('/app/k?refuse=2');
    expect(own.answer).toMatchObject({
      status: 429,
      headers: { 'retry-after': '9' },
      body: '{"message":"own"}',
    });
    expect((await open('/app/k?throw=1')).answer.status).toBe(500);
    expect((await open('/app/%ff')).answer.status).toBe(400);
    expect((await open('/elsewhere')).answer.status).toBe(404);
    expect((await open('/-/no-such-socket')).answer.status).toBe(404);
    expect((await rawHttp(started.port, { method: 'POST', path: '/app/k' })).headers['allow']).toBe(
      'GET, HEAD',
    );
  });

  it('asks the gate before the handlers', async () => {
    started.adapter.gate = () => ({ status: 503, body: { error: 'DRAINING' } });
    expect((await open('/app/k')).answer.status).toBe(503);
    expect((await rawHttp(started.port, { path: '/app/k' })).status).toBe(426);
    started.adapter.gate = null;
  });

  it('decides later, and forgets a client that went away meanwhile', async () => {
    const opening = open('/app/later?slow=1');
    await eventually(() => echo.undecided.length === 1);
    echo.decide();
    const client = await opening;
    expect(client.answer.status).toBe(101);
    client.destroy();
    const before = echo.sockets.length;
    const gone = await RawConnection.open(started.port);
    gone.write(requestBytes({ path: '/app/gone?slow=1', headers: HANDSHAKE }));
    await eventually(() => echo.undecided.length === 1);
    gone.destroy();
    await eventually(() => started.adapter.inFlight() === 0);
    echo.decide();
    expect((await rawHttp(started.port, { path: '/app/k' })).status).toBe(426);
    expect(echo.sockets.length).toBe(before);
  });

  it('closes 1009 when a message is too large', async () => {
    const client = await open('/app/big');
    await client.next();
    client.sendText('x'.repeat(1000));
    expect((await client.next()).payload.length).toBe(1000);
    client.sendText('x'.repeat(1001));
    expect(await client.closeCode()).toBe(1009);
    await eventually(() => echo.events.some((event) => event.startsWith('close big 1009')));
  });

  it('reports what handlers throw and keeps the socket', async () => {
    const client = await open('/app/k');
    await client.next();
    client.sendText('throw');
    client.sendText('reject');
    client.sendText('still here');
    expect(await client.nextText()).toBe('still here');
    await eventually(() => faults.length >= 2);
    expect(faults.join()).toContain('/app/:appKey Error: in message');
    expect(faults.join()).toContain('Error: late');
    client.destroy();
  });

  it('cuts close reasons to what a close frame can hold', async () => {
    const client = await open('/app/k');
    await client.next();
    client.sendText('end');
    const { opcode, payload } = await client.next();
    expect([opcode, payload.length, payload.readUInt16BE()]).toEqual([OPCODE.close, 125, 4200]);
  });

  it('may be used after it is closed', async () => {
    const client = await open('/app/after');
    await client.next();
    const socket = echo.sockets.at(-1);
    client.destroy();
    await eventually(() => socket?.isOpen === false);
    expect(echo.events).toContain('close after 1006 closed');
    expect(socket?.send('x')).toBe('closed');
    expect(socket?.ping()).toBe('closed');
    expect([socket?.subscribe('t'), socket?.unsubscribe('t'), socket?.isSubscribed('t')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(socket?.publish('t', 'x')).toBe(false);
    expect(socket?.bufferedBytes).toBe(0);
    socket?.cork(() => {
      throw new Error('must not run');
    });
    socket?.end();
    socket?.terminate();
  });

  it('publishes to subscribers, all but itself when a socket does', async () => {
    const one = await open('/app/p1');
    await one.next();
    const first = echo.sockets.at(-1);
    const two = await open('/app/p2');
    await two.next();
    expect(started.server.publish('all', 'to everyone')).toBe(true);
    expect([await one.nextText(), await two.nextText()]).toEqual(['to everyone', 'to everyone']);
    expect(first?.publish('all', 'to others')).toBe(true);
    expect(await two.nextText()).toBe('to others');
    first?.unsubscribe('all');
    started.server.publish('all', 'second');
    expect(await two.nextText()).toBe('second');
    one.sendText('mine');
    expect(await one.nextText()).toBe('mine');
    expect(started.server.publish('nobody', 'x')).toBe(false);
    expect(started.server.subscriberCount('nobody')).toBe(0);
    one.destroy();
    two.destroy();
  });

  it('drops messages over the limit of what is kept, and says so', async () => {
    const client = await open('/app/slow');
    await client.next();
    client.connection.socket.pause();
    const socket = echo.sockets.at(-1);
    const outcomes = new Set<string>();
    for (let index = 0; index < 2000 && !outcomes.has('dropped'); index += 1)
      outcomes.add(socket?.send('x'.repeat(50_000)) ?? '');
    expect([...outcomes].sort()).toEqual(['buffered', 'dropped', 'sent']);
    expect(socket?.bufferedBytes).toBeGreaterThan(100_000);
    client.destroy();
  });
});
