import { ServiceError } from '@carillon/errors';
import { RawConnection, rawHttp, readAnswer, requestBytes } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorAnswer, type HttpResponse, type UwsHttpAdapter, type UwsServer } from '../src/index.js';
import { startBare } from './app.js';

const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

describe('HTTP rules', () => {
  let port: number;
  let adapter: UwsHttpAdapter;
  let server: UwsServer;
  const finished: unknown[][] = [];
  const held: HttpResponse[] = [];

  const postTo = (query: string, length: number) =>
    rawHttp(port, { method: 'POST', path: `/apps/1?${query}`, body: 'x'.repeat(length) });

  beforeAll(async () => {
    ({ port, adapter, server } = await startBare({
      bodyLimitBytes: 1000,
      onFinished: (...values) => finished.push(values),
    }));
    adapter.fastRoute('GET', '/hello', (_request, response) => response.send({ hello: 'world' }));
    adapter.fastRoute('GET', '/apps/:id', (request, response) => response.send({ id: request.params['id'] }));
    adapter.fastRoute('POST', '/apps/:id', (request, response) => response.send({ got: request.bodyLength }));
    adapter.fastRoute('GET', '/slow', async (_request, response) => {
      await later(20);
      response.send({ slow: true });
    });
    adapter.fastRoute('GET', '/held', (_request, response) => {
      held.push(response);
    });
    adapter.fastRoute('GET', '/inject', (request, response) => {
      response.setHeader('x-value', request.query['v'] ?? '');
      response.send({});
    });
    adapter.fastRoute('GET', '/throws', () => {
      throw new Error('inside');
    });
    adapter.fastRoute('GET', '/rejects', async () => {
      await later(1);
      throw new ServiceError('backpressure');
    });
    adapter.fastRoute('GET', '/', (_request, response) => response.send({ root: true }));
  });
  afterAll(() => server.close());

  it('answers 404 and 405 with the JSON body, and Allow', async () => {
    const missing = await rawHttp(port, { path: '/nowhere' });
    expect(missing).toMatchObject({
      status: 404,
      body: '{"error":"no such route","code":"not_found","status":404}',
    });
    expect(missing.headers['content-type']).toBe('application/json');
    const wrong = await rawHttp(port, { method: 'PUT', path: '/apps/1' });
    expect(wrong).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } });
    expect(JSON.parse(wrong.body)).toMatchObject({ code: 'method_not_allowed', status: 405 });
    expect((await rawHttp(port, { method: 'POST', path: '/hello' })).headers['allow']).toBe('GET, HEAD');
    expect((await rawHttp(port, { method: 'get', path: '/hello' })).status).toBe(405);
  });

  it('ignores one trailing slash and no inner ones', async () => {
    expect((await rawHttp(port, { path: '/hello/' })).status).toBe(200);
    expect((await rawHttp(port, { path: '/hello/?a=1' })).status).toBe(200);
    expect((await rawHttp(port, { path: '/' })).status).toBe(200);
    expect((await rawHttp(port, { path: '/hello//' })).status).toBe(404);
    expect((await rawHttp(port, { path: '//hello' })).status).toBe(404);
    expect((await rawHttp(port, { path: '/apps//1' })).status).toBe(404);
  });

  it('answers HEAD like GET without a body', async () => {
    const get = await rawHttp(port, { path: '/hello' });
    const head = await rawHttp(port, { method: 'HEAD', path: '/hello' });
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.headers['content-type']).toBe('application/json');
    const connection = await RawConnection.open(port);
    connection.write(requestBytes({ method: 'HEAD', path: '/hello' }));
    await readAnswer(connection, false);
    connection.write(requestBytes({ path: '/apps/2' }));
    expect((await readAnswer(connection)).body).toBe('{"id":"2"}');
    connection.destroy();
  });

  it('answers every OPTIONS with 200 and nothing', async () => {
    for (const path of ['/hello', '/nowhere'])
      expect(await rawHttp(port, { method: 'OPTIONS', path })).toMatchObject({ status: 200, body: '' });
  });

  it('keeps connections alive and answers pipelined requests in order', async () => {
    const connection = await RawConnection.open(port);
    for (let index = 0; index < 3; index += 1) {
      connection.write(requestBytes({ path: `/apps/${index}` }));
      expect((await readAnswer(connection)).body).toBe(`{"id":"${index}"}`);
    }
    const many = Array.from({ length: 50 }, (_, index) => requestBytes({ path: `/apps/${index}` }));
    connection.write(Buffer.concat(many));
    for (let index = 0; index < 50; index += 1)
      expect((await readAnswer(connection)).body).toBe(`{"id":"${index}"}`);
    connection.destroy();
  });

  it('accepts heads of 32 KiB and refuses larger ones with 431', async () => {
    const big = (bytes: number) => rawHttp(port, { path: `/hello?q=${'a'.repeat(bytes)}` });
    expect((await big(32 * 1024 - 100)).status).toBe(200);
    expect((await rawHttp(port, { path: '/hello', headers: { 'X-Big': 'a'.repeat(32_000) } })).status).toBe(
      200,
    );
    const refused = await big(40_000);
    expect(refused.status).toBe(431);
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'headers_too_large' });
    expect((await rawHttp(port, { path: '/hello', headers: { 'X-Big': 'a'.repeat(300_000) } })).status).toBe(
      431,
    );
  });

  it('accepts a head of 32 KiB that comes in pieces', async () => {
    const connection = await RawConnection.open(port);
    // The request line stays in one piece: the native library for Node 20 answers 505 when it is cut.
    const bytes = requestBytes({ path: '/hello', headers: { 'X-Big': 'a'.repeat(32_000) } });
    for (let at = 0; at < bytes.length; at += 8000) {
      connection.write(bytes.subarray(at, at + 8000));
      await later(5);
    }
    expect((await readAnswer(connection)).status).toBe(200);
    connection.destroy();
  });

  it('limits bodies by their declared and by their real length', async () => {
    const post = (body: string) => rawHttp(port, { method: 'POST', path: '/apps/1', body });
    expect(await post('x'.repeat(1000))).toMatchObject({ status: 200, body: '{"got":1000}' });
    const refused = await post('x'.repeat(1001));
    expect(refused).toMatchObject({ status: 413, headers: { connection: 'close' } });
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'payload_too_large', status: 413 });
    const get = { method: 'GET', path: '/hello', body: 'x'.repeat(1001) };
    expect((await rawHttp(port, get)).status).toBe(413);
  });

  it.each([
    ['declared but never sent', 'Content-Length: 900000000\r\n\r\n'],
    ['sent after it ends', `Content-Length: 2000\r\n\r\n${'x'.repeat(2000)}`],
    ['chunked without end', `Transfer-Encoding: chunked\r\n\r\n800\r\n${'x'.repeat(2048)}\r\n`],
  ])('answers 413 and closes when a body is too large: %s', async (_name, rest) => {
    const connection = await RawConnection.open(port);
    connection.write(`POST /apps/1 HTTP/1.1\r\nHost: x\r\n${rest}`);
    expect((await readAnswer(connection)).status).toBe(413);
    expect(await connection.untilEnd()).toBe(true);
  });

  it.each([
    'Content-Length: 5\r\nContent-Length: 6\r\n',
    'Content-Length: 0\r\nContent-Length: 5\r\n',
    'Transfer-Encoding: gzip\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
  ])('refuses requests whose end is ambiguous, and closes: %j', async (headers) => {
    const connection = await RawConnection.open(port);
    connection.write(`POST /apps/1 HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
    expect((await readAnswer(connection)).status).toBe(400);
    expect(await connection.untilEnd()).toBe(true);
  });

  it('lets a client that sends far too much read its 413', async () => {
    const answer = await rawHttp(port, { method: 'POST', path: '/apps/1', body: Buffer.alloc(5_000_000) });
    expect(answer.status).toBe(413);
  });

  it('reads chunked bodies', async () => {
    const connection = await RawConnection.open(port);
    connection.write('POST /apps/1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    await later(5);
    connection.write('2\r\nde\r\n0\r\n\r\n');
    expect((await readAnswer(connection)).body).toBe('{"got":5}');
    connection.destroy();
  });

  it('drops the answers of clients that went away', async () => {
    const connection = await RawConnection.open(port);
    connection.write(requestBytes({ path: '/held' }));
    while (held.length === 0) await later(2);
    expect(adapter.inFlight()).toBe(1);
    connection.destroy();
    while (adapter.inFlight() > 0) await later(2);
    const [response] = held;
    expect(response?.aborted).toBe(true);
    response?.setHeader('x-late', '1');
    response?.send({ late: true });
    response?.answer({ status: 500 });
    response?.fail(new Error('late'));
    response?.destroy();
    expect(response?.request.peer).toBe('');
    expect(adapter.inFlight()).toBe(0);
    expect(finished.at(-1)?.slice(0, 3)).toEqual(['/held', 'GET', 0]);
  });

  it('answers once, however often a handler answers', async () => {
    adapter.fastRoute('GET', '/twice', (_request, response) => {
      response.send({ first: true });
      response.send({ second: true });
      response.end('third');
      throw new Error('after the answer');
    });
    expect(await rawHttp(port, { path: '/twice' })).toMatchObject({ status: 200, body: '{"first":true}' });
  });

  it('lets a handler drop the connection', async () => {
    adapter.fastRoute('GET', '/drop', (_request, response) => response.destroy());
    const connection = await RawConnection.open(port);
    connection.write(requestBytes({ path: '/drop' }));
    expect(await connection.untilEnd()).toBe(true);
    expect(connection.received.length).toBe(0);
    expect((await rawHttp(port, { path: '/hello' })).status).toBe(200);
  });

  it('turns exceptions into answers', async () => {
    expect((await rawHttp(port, { path: '/throws' })).body).toContain('Internal server error');
    const rejected = await rawHttp(port, { path: '/rejects' });
    expect(rejected).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  it('never lets a header value end its line', async () => {
    for (const value of ['a%0d%0aSet-Cookie:x', 'a%0ab', 'a%00b']) {
      const answer = await rawHttp(port, { path: `/inject?v=${value}` });
      expect(answer.status).toBe(500);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await rawHttp(port, { path: '/inject?v=fine' })).headers['x-value']).toBe('fine');
  });

  it('tells the observer of route, status and sizes', async () => {
    await rawHttp(port, { method: 'POST', path: '/apps/17', body: 'abc' });
    const [template, method, status, seconds, bytesIn, bytesOut] = finished.at(-1) ?? [];
    expect([template, method, status, bytesIn, bytesOut]).toEqual(['/apps/:id', 'POST', 200, 3, 9]);
    expect(seconds).toBeGreaterThanOrEqual(0);
    await rawHttp(port, { path: '/nowhere/at/all' });
    expect(finished.at(-1)?.slice(0, 3)).toEqual(['', 'GET', 404]);
  });

  it('asks the gate first, also for what has no route', async () => {
    adapter.gate = (request) =>
      request.rawPath === '/hello' ? null : { status: 503, body: { state: 'STARTING' } };
    expect((await rawHttp(port, { path: '/hello' })).status).toBe(200);
    for (const path of ['/nowhere', '/apps/1'])
      expect(await rawHttp(port, { path })).toMatchObject({ status: 503, body: '{"state":"STARTING"}' });
    adapter.gate = null;
  });

  it('asks for admission before the body is read, knowing the route', async () => {
    const refuse = errorAnswer(new ServiceError('rate_limited', { retryAfterSeconds: 60 }));
    adapter.admission = (request, response) => {
      response.setHeader('X-RateLimit-Limit', 100);
      if (request.query['sync'] === '1') return request.route === '/apps/:id' ? refuse : null;
      return later(10).then(() => (request.query['ok'] === '1' ? null : refuse));
    };
    expect(await postTo('sync=1', 2000)).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    expect(await postTo('', 10)).toMatchObject({ status: 429 });
    const admitted = await postTo('ok=1', 10);
    expect(admitted).toMatchObject({
      status: 200,
      body: '{"got":10}',
      headers: { 'x-ratelimit-limit': '100' },
    });
    expect((await postTo('ok=1', 2000)).status).toBe(413);
    adapter.admission = null;
  });

  it('finishes what has begun and refuses what is new when told so', async () => {
    const connection = await RawConnection.open(port);
    connection.write(requestBytes({ path: '/slow' }));
    while (adapter.inFlight() === 0) await later(1);
    adapter.refuseNew();
    const refused = await rawHttp(port, { path: '/hello' });
    expect(refused).toMatchObject({ status: 503, headers: { connection: 'close', 'retry-after': '1' } });
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect((await readAnswer(connection)).status).toBe(200);
    expect(adapter.inFlight()).toBe(0);
    connection.destroy();
  });
});
