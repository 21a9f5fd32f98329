import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpTarget, type HttpTargetOptions } from '../../src/target/http-target.js';
import { Receiver } from '../receiver.js';
import { until } from '../samples.js';

const body = Buffer.from('{"time_ms":1,"events":[]}');

function target(options: Partial<HttpTargetOptions> = {}) {
  const http = new HttpTarget({ allowPrivate: true, ...options });
  onTestFinished(() => http.close());
  return (url: string, timeoutMs = 5000, signal = new AbortController().signal, headers = {}) =>
    http.post({ url, headers: { 'Content-Type': 'application/json', ...headers }, body, timeoutMs, signal });
}

/** A server on the level below HTTP; answers each connection with these bytes. */
async function rawServer(answer: string | null): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => (answer === null ? socket.destroy() : socket.end(answer)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
}

describe('a request', () => {
  it('is a POST of the exact bytes, to the path and query as written', async () => {
    const receiver = await Receiver.open();
    expect(await target()(`${receiver.url}/a%20b?c=d`)).toEqual({
      kind: 'delivered',
      status: expect.any(Number),
    });
    const [received] = receiver.received;
    expect([received?.method, received?.path, received?.body]).toEqual([
      'POST',
      '/a%20b?c=d',
      body.toString(),
    ]);
    expect(received?.headers['content-type']).toBe('application/json');
  });

  it('with a user in the URL says so as HTTP does', async () => {
    const receiver = await Receiver.open();
    await target()(receiver.url.replace('//', '//user:p%40ss@'));
    const { authorization = '' } = receiver.received[0]?.headers ?? {};
    expect(Buffer.from(authorization.slice('Basic '.length), 'base64').toString()).toBe('user:p@ss');
  });

  it('is judged by its status; a redirect is not followed', async () => {
    const receiver = await Receiver.open();
    const post = target();
    receiver.replies = [
      204,
      (response) => response.writeHead(302, { Location: `${receiver.url}/other` }).end(),
      (response) => response.writeHead(503, { 'Retry-After': '7' }).end(),
      404,
    ];
    expect(await post(receiver.url)).toEqual({ kind: 'delivered', status: expect.any(Number) });
    expect(await post(receiver.url)).toEqual({ kind: 'permanent', reason: 'status 302' });
    expect(await post(receiver.url)).toEqual({ kind: 'failed', reason: 'status 503', retryAfterMs: 7000 });
    expect(await post(receiver.url)).toEqual({ kind: 'permanent', reason: 'status 404' });
    expect(receiver.received).toHaveLength(4);
  });

  it('is done with the status, whatever the answer goes on with', async () => {
    const receiver = await Receiver.open();
    const post = target();
    receiver.replies = [
      (response) => void response.writeHead(200).write('never ends'),
      (response) => {
        const more = (): void => void (response.destroyed || response.write('x'.repeat(50_000), more));
        response.writeHead(200);
        more();
      },
      (response) => response.writeHead(101, { Connection: 'Upgrade', Upgrade: 'x' }).end(),
    ];
    expect(await post(receiver.url)).toEqual({ kind: 'delivered', status: expect.any(Number) });
    expect(await post(receiver.url)).toEqual({ kind: 'delivered', status: expect.any(Number) });
    // The endless response stays open until its limit, the oversized one does not.
    await until(() => receiver.running === 1);
    expect(await post(receiver.url)).toEqual({ kind: 'permanent', reason: 'status 101' });
  });

  it('uses a connection again, also one that is closed under its hands', async () => {
    const receiver = await Receiver.open();
    const post = target();
    await post(receiver.url);
    await new Promise((later) => void setTimeout(later, 20));
    receiver.replies = [(response) => void response.destroy(), 200];
    expect(await post(receiver.url)).toEqual({ kind: 'delivered', status: expect.any(Number) });
    const [first, second, third] = receiver.received.map(({ socketPort }) => socketPort);
    expect(first).toBe(second);
    expect(third).not.toBe(second);
  });

  it('fails for now when nobody is there, nobody answers, or the answer is none', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [() => {}];
    const post = target();
    expect(await post(receiver.url, 50)).toEqual({ kind: 'failed', reason: 'timeout', retryAfterMs: null });
    const failed = { kind: 'failed', retryAfterMs: null };
    expect(await post('http://127.0.0.1:1/')).toEqual({
      ...failed,
      reason: 'connection failed: ECONNREFUSED',
    });
    expect(await post(await rawServer(null))).toEqual({ ...failed, reason: 'connection failed: ECONNRESET' });
    expect(await post(await rawServer('garbage\r\n\r\n'))).toMatchObject({ kind: 'failed' });
    expect(await post('http://no-such-host.invalid/')).toMatchObject({ kind: 'failed' });
  });

  it('is given up in its time though memory is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const receiver = await Receiver.open();
    receiver.replies = [() => {}];
    const collecting = setInterval(collect, 20);
    onTestFinished(() => clearInterval(collecting));
    expect(await target()(receiver.url, 300)).toMatchObject({ kind: 'failed', reason: 'timeout' });
  });

  it('that cannot be made fails for good, without naming the receiver', async () => {
    const outcome = await target()('http://127.0.0.1:1/', 1000, undefined, { 'X-Bad': 'a\nb' });
    expect(outcome).toEqual({ kind: 'permanent', reason: 'request cannot be made' });
    expect(await target()('ftp://127.0.0.1/')).toMatchObject({ kind: 'permanent' });
  });

  it('that is given up rejects', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [() => {}];
    await expect(target()(receiver.url, 5000, AbortSignal.timeout(30))).rejects.toThrow('aborted');
  });
});

describe('a request to where it may not go', () => {
  it('is not made, by address or by name', async () => {
    const receiver = await Receiver.open();
    const refused = { kind: 'permanent', reason: 'target not allowed' };
    const post = target({ allowPrivate: false });
    expect(await post(receiver.url)).toEqual(refused);
    expect(await post(receiver.url.replace('127.0.0.1', 'localhost'))).toEqual(refused);
    expect(await post(receiver.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'))).toEqual(refused);
    expect(receiver.received).toEqual([]);
  });

  it('goes to the address that was looked at, whatever the name says later', async () => {
    const receiver = await Receiver.open();
    let lookups = 0;
    const post = target({
      allowPrivate: false,
      lookup: (_, options, answer) => {
        lookups += 1;
        const found = [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
        if (options.all === true) answer(null, found);
        else answer(null, '127.0.0.1', 4);
      },
    });
    expect(await post(receiver.url.replace('127.0.0.1', 'hooks.example.com'))).toEqual({
      kind: 'delivered',
      status: expect.any(Number),
    });
    expect(lookups).toBe(1);
    expect(receiver.received[0]?.headers.host).toMatch(/^hooks\.example\.com:/);
  });
});
