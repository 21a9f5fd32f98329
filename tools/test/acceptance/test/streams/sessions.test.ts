import { OPCODE } from '@carillon/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { eventually } from '../harness/eventually.js';
import { onServer } from '../harness/every-app.js';
import { SessionClient } from '../harness/session-client.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const other = openTenant('other');
const env = {
  CONNECTION_RECOVERY_ENABLED: 'true',
  HTTP_STREAMS_HEARTBEAT_SECONDS: '1',
  HTTP_STREAMS_MAX_DURATION_SECONDS: '20',
};

const frame = async (session: SessionClient): Promise<Record<string, unknown>> =>
  JSON.parse((await session.next()).payload.toString()) as Record<string, unknown>;

const subscribe = (seq: number, channel: string): string =>
  JSON.stringify({ seq, event: 'service:subscribe', data: { channel } });

const large = (bytes: number): string => JSON.stringify({ seq: 1, event: 'x', data: 'x'.repeat(bytes) });

onServer('sessions over HTTP', { tenants: [shop, other], env }, (node) => {
  const { key } = shop;
  const open = async (form: 'session' | 'session-events' = 'session'): Promise<SessionClient> => {
    const session = await SessionClient.open({ port: node.port, postPort: node.port, key, query: '', form });
    onTestFinished(() => session.destroy());
    return session;
  };
  const established = async (): Promise<SessionClient> => {
    const session = await open();
    await session.next();
    return session;
  };

  it('chooses the content type by Accept and shows session and secret in the first frame', async () => {
    for (const [form, type] of [
      ['session', 'application/x-ndjson'],
      ['session-events', 'text/event-stream'],
    ] as const) {
      const session = await open(form);
      expect(session.response.headers).toMatchObject({
        'content-type': type,
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      });
      const { event, data } = await frame(session);
      expect(event).toBe('service:connection_established');
      expect(JSON.parse(String(data))).toEqual({
        socket_id: expect.stringMatching(/^[1-9]\d*\.\d+$/),
        activity_timeout: 120,
        session: expect.stringMatching(/^[\w-]{20,64}$/),
        secret: expect.stringMatching(/^[\w-]{22,}$/),
      });
    }
  });

  it('gets the frames of a socket, byte for byte', async () => {
    const session = await established();
    session.sendFrame(OPCODE.text, Buffer.from('{"event":"service:subscribe","data":{"channel":"same"}}'));
    await session.next();
    const socket = await ClientV2.connect(node);
    await socket.subscribe('same');
    await node.api().publish('same', 'news', { text: '☃' });
    expect(await frame(session)).toEqual(await socket.next());
  });

  it('applies repeated and overlapping frames once, and answers a gap with the expected seq', async () => {
    const session = await established();
    const [one, two, three] = [subscribe(1, 's1'), subscribe(2, 's2'), subscribe(3, 's3')];
    expect(await session.ask('POST', `${one}\n\n${two}\n`)).toEqual({
      status: 200,
      body: '{"accepted_seq":2}',
    });
    expect(await session.ask('POST', two)).toEqual({ status: 200, body: '{"accepted_seq":2}' });
    expect(await session.ask('POST', `${two}\n${three}`)).toEqual({
      status: 200,
      body: '{"accepted_seq":3}',
    });
    const gap = await session.ask('POST', subscribe(5, 's5'));
    expect([gap.status, JSON.parse(gap.body)]).toMatchObject([409, { code: 'conflict', expected_seq: 4 }]);
    expect(await session.ask('POST', '')).toEqual({ status: 200, body: '{"accepted_seq":3}' });
    const told = [await frame(session), await frame(session), await frame(session)];
    expect(told.map(({ channel }) => channel)).toEqual(['s1', 's2', 's3']);
  });

  it('refuses a body with one bad line as a whole', async () => {
    const session = await established();
    for (const bad of ['[]', '{"event":"x"}', '{"seq":0}', '{"seq":1.5}', 'x', subscribe(4, 'c')]) {
      const answer = await session.ask('POST', `${subscribe(1, 'a')}\n${subscribe(2, 'b')}\n${bad}`);
      expect([bad, answer.status, JSON.parse(answer.body)]).toMatchObject([
        bad,
        400,
        { code: 'invalid_input' },
      ]);
      expect(answer.body).toContain('line 3');
    }
    expect(await session.ask('POST', '')).toMatchObject({ body: '{"accepted_seq":0}' });
  });

  it('refuses a wrong secret, an unknown session, and that of another app', async () => {
    const session = await established();
    expect((await session.ask('POST', '', 'wrong')).status).toBe(401);
    const unknown = await node.request({
      method: 'POST',
      path: `/app/${key}/stream/${'x'.repeat(24)}`,
      headers: { authorization: 'Bearer x' },
      body: '',
    });
    expect([unknown.status, JSON.parse(unknown.body)]).toMatchObject([404, { code: 'session_not_found' }]);
    expect((await session.ask('POST', '', undefined)).status).toBe(200);
  });

  it('refuses frames, numbers of frames and bodies that are too large', async () => {
    const session = await established();
    const many = Array.from({ length: 101 }, (_, n) => JSON.stringify({ seq: n + 1, event: 'x' })).join('\n');
    const heavy = Array.from({ length: 5 }, (_, n) =>
      JSON.stringify({ seq: n + 1, event: 'x', data: 'x'.repeat(60_000) }),
    ).join('\n');
    for (const body of [large(65 * 1024), many, heavy])
      expect(await session.ask('POST', body)).toMatchObject({ status: 413 });
    expect(await session.ask('POST', '')).toMatchObject({ body: '{"accepted_seq":0}' });
  });

  it('ends by DELETE as a client that closes: members are gone immediately', async () => {
    const watcher = await ClientV2.connect(node);
    await watcher.subscribe('presence-room', {}, 'watcher');
    const client = await ClientV2.connect(node, { transport: 'session' });
    await client.subscribe('presence-room', {}, 'leaver');
    expect(await watcher.next()).toMatchObject({ event: 'service_internal:member_added' });
    const session = await established();
    expect(await session.ask('DELETE', null)).toEqual({ status: 204, body: '' });
    const { opcode, payload } = await session.next();
    expect([opcode, payload.readUInt16BE()]).toEqual([OPCODE.close, 1000]);
    await eventually(async () => expect((await session.ask('POST', '')).status).toBe(404));
    expect(await node.api().users('presence-room')).toEqual(['leaver', 'watcher']);
  });

  it('ends with a broken response, and a new one resumes', async () => {
    const first = await ClientV2.connect(node, { transport: 'session' });
    const { stream_id = '', serial = 0 } = await first.subscribe('resumed');
    first.vanish();
    await node.api().publish('resumed', 'news', 'missed');
    const second = await ClientV2.connect(node, { transport: 'session' });
    await second.subscribe('resumed');
    const { frames, answer } = await second.resume({ resumed: { stream_id, serial } });
    expect([frames.map(({ data }) => data), answer.recovered.length]).toEqual([['missed'], 1]);
  });

  it('is closed with 4200 at its maximum age', async () => {
    const session = await established();
    let closed = await session.next();
    while (closed.opcode !== OPCODE.close) closed = await session.next();
    expect(closed.payload.readUInt16BE()).toBe(4200);
  });
});
