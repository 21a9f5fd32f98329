import { describe, expect, it } from 'vitest';
import { CHANNEL, made, openLiving, post } from './living.js';
import { call, publish, read, refused, SHOP } from './scene.js';

describe('annotations of a message', () => {
  const type = 'reactions:distinct.v1';

  it('are made, listed and taken back once', async () => {
    const scene = await openLiving();
    const path = `${await made(scene)}/annotations`;
    const like = (client: object) => post(scene, path, { type, name: 'like', ...client });
    const first = (await like({ clientId: 'u1', client_id: 'ignored' })).body as { annotationSerial: string };
    await like({ client_id: 'u2' });
    const { annotationSerial: serial } = first;
    const taken = await call(scene, 'DELETE', `${path}/${serial}`);
    expect(taken.body).toMatchObject({ deletedAnnotationSerial: serial });
    expect((await call(scene, 'DELETE', `${path}/${serial}`)).body).toEqual(taken.body);
    const { body } = await read(scene, path, { limit: '2' });
    expect(body).toMatchObject({
      channel: 'orders',
      limit: 2,
      hasMore: true,
      items: [
        { action: 'annotation.create', serial, clientId: 'u1', name: 'like', type },
        { action: 'annotation.create', clientId: 'u2' },
      ],
    });
    const { nextCursor } = body as { nextCursor: string };
    const rest = (await read(scene, path, { from_serial: nextCursor })).body as { items: object[] };
    expect(rest).toMatchObject({
      hasMore: false,
      nextCursor: null,
      items: [{ action: 'annotation.delete' }],
    });
    expect(rest.items[0]).not.toHaveProperty('id');
    const frames = scene.sent.filter(({ annotation_no: no }) => typeof no === 'number');
    expect(frames.map(({ op, annotation_no: no, serial: at }) => [op, no, at])).toEqual([
      ['annotate', 1, null],
      ['annotate', 2, null],
      ['unannotate', 3, null],
    ]);
    expect(JSON.parse(frames[1]?.summary ?? '{}')).toMatchObject({
      event: 'service_internal:message',
      data: {
        action: 'message.summary',
        annotations: { summary: { [type]: { like: { total: 2, clientIds: ['u1', 'u2'] } } } },
      },
      extras: { ephemeral: true },
    });
    expect(scene.told.slice(1)).toMatchObject([
      { name: 'annotation_created', annotation_serial: serial, annotation_type: type },
      { name: 'annotation_created' },
      { name: 'annotation_deleted', annotation_type: type, deleted_annotation_serial: serial },
    ]);
  });

  it('are refused where something is missing', async () => {
    const scene = await openLiving();
    const message = await made(scene);
    const path = `${message}/annotations`;
    const wrong = [
      { type: 'x:total' },
      { type: 'x:sum.v1' },
      { type: ':total.v1' },
      { type: 'x:total.v1', count: 0 },
      { type: 'x:flag.v1' },
      { type, clientId: 'u' },
      { name: 'x' },
    ];
    for (const body of wrong)
      expect(await post(scene, path, body)).toMatchObject(refused(400, 'invalid_input'));
    expect(await read(scene, path, { type: 'x' })).toMatchObject(refused(400, 'invalid_input'));
    expect(await read(scene, path, { limit: '0' })).toMatchObject(refused(400, 'invalid_input'));
    const made1 = await post(scene, path, { type: 'x:total.v1' });
    const { annotationSerial } = made1.body as { annotationSerial: string };
    const { body: taken } = await call(scene, 'DELETE', `${path}/${annotationSerial}`);
    const deletion = (taken as { annotationSerial: string }).annotationSerial;
    expect(await call(scene, 'DELETE', `${path}/${deletion}`)).toMatchObject(refused(400, 'invalid_input'));
    expect(await call(scene, 'DELETE', `${path}/none`)).toMatchObject(refused(404, 'not_found'));
    const elsewhere = `${CHANNEL}/messages/none/annotations`;
    expect(await post(scene, elsewhere, { type: 'x:total.v1' })).toMatchObject(refused(404, 'not_found'));
    expect((await read(scene, elsewhere)).body).toMatchObject({
      items: [],
      hasMore: false,
      nextCursor: null,
    });
    const socket = { type: 'x:total.v1', socketId: '1.2' };
    expect(await post(scene, path, socket)).toMatchObject(refused(401, 'auth_failed'));
  });

  it('are off by setting and by policy', async () => {
    const off = await openLiving({ env: { ANNOTATIONS_ENABLED: 'false' } });
    const path = `${await made(off)}/annotations`;
    expect(await post(off, path, { type: 'x:total.v1' })).toMatchObject(refused(422, 'feature_disabled'));
    const denied = await openLiving({ apps: [SHOP] });
    const other = `${await made(denied)}/annotations`;
    expect(await post(denied, other, { type: 'x:total.v1' })).toMatchObject(refused(403, 'forbidden'));
  });
});

describe('a stream of an answer', () => {
  const streaming = { extras: { ai: { transport: { status: 'streaming' } } } };

  it('is appended to until it ends', async () => {
    const scene = await openLiving();
    const path = await made(scene, '', 'ai-a', streaming);
    expect((await post(scene, `${path}/append`, { data: 'token' })).status).toBe(200);
    const end = { data: '', extras: { ai: { transport: { status: 'complete' } } } };
    expect((await post(scene, `${path}/append`, end)).status).toBe(200);
    expect(await post(scene, `${path}/append`, { data: 'x' })).toMatchObject(refused(400, 'invalid_input'));
    const bad = { data: 'x', extras: { ai: { transport: { status: 'done' } } } };
    expect(await post(scene, `${path}/append`, bad)).toMatchObject({
      status: 400,
      body: { code: 'ai_invalid_transport_header', ai_code: 104_000 },
    });
  });

  it('has bounds, with numbers of their own', async () => {
    const scene = await openLiving();
    const path = await made(scene, '', 'ai-a', streaming);
    const tooMuch = { status: 413, body: { code: 'payload_too_large', ai_code: 40_009 } };
    expect(await post(scene, `${path}/append`, { data: 'x'.repeat(1001) })).toMatchObject(tooMuch);
    const second = await publish(scene, { name: 'ai-output', channel: 'ai-a', data: '', ...streaming });
    expect(second).toMatchObject(tooMuch);
    for (let n = 0; n < 9; n += 1) await post(scene, `${path}/append`, { data: 'x' });
    expect(await post(scene, `${path}/append`, { data: 'x' })).toMatchObject(tooMuch);
  });

  it('is counted in the state of its channel, and of no other', async () => {
    const scene = await openLiving();
    await made(scene, '', 'ai-a', streaming);
    await made(scene, 'x', 'ai-a');
    expect((await read(scene, '/channels/ai-a')).body).toMatchObject({
      ai: { active_streams: 1, last_history_serial: 2, message_count: 2 },
    });
    expect((await read(scene, '/channels/ai-b')).body).toMatchObject({
      ai: { active_streams: 0, last_history_serial: null, message_count: 0 },
    });
    expect((await read(scene, '/channels/orders')).body).not.toHaveProperty('ai');
  });

  it('tells the servers of an app of its run', async () => {
    const scene = await openLiving();
    const extras = { ai: { transport: { 'run-id': 'r1', 'run-client-id': 'u1' } } };
    await publish(scene, { name: 'ai-run-start', channel: 'ai-a', data: '', extras });
    const run = { name: 'ai_run_started', channel: 'ai-a', run_id: 'r1', client_id: 'u1' };
    expect(scene.told).toContainEqual(run);
  });
});
