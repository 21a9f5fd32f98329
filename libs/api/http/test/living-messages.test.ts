import { describe, expect, it } from 'vitest';
import { openDurable } from './durable.js';
import { CHANNEL, itemOf, made, openLiving, post } from './living.js';
import { call, publish, read, refused } from './scene.js';

describe('a message that lives on', () => {
  it('is told with its serials when it is published', async () => {
    const scene = await openLiving();
    const { body } = await publish(scene, { name: 'note', channel: 'orders', data: 'a', message_id: 'm-1' });
    const serial = (body as { channels: { orders: { message_serial: string } } }).channels.orders
      .message_serial;
    expect(body).toEqual({
      channels: {
        orders: {
          acknowledgement_id: serial,
          message_serial: serial,
          version_serial: serial,
          history_serial: 1,
          delivery_serial: 1,
        },
      },
    });
    expect(scene.told).toEqual([
      {
        name: 'message_version_created',
        channel: 'orders',
        message_serial: serial,
        version_serial: serial,
        action: 'message.create',
      },
    ]);
    expect(scene.sent[0]).toMatchObject({ op: 'create', serial: 1 });
  });

  it('is updated as far as the update says, and shown as it is now in the history', async () => {
    const scene = await openLiving();
    const path = await made(scene, 'a', 'orders', { extras: { ref: 1 } });
    const { status, body } = await post(scene, `${path}/update`, { extras: { new: 1 }, description: 'why' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      channel: 'orders',
      action: 'update',
      accepted: true,
      history_serial: 1,
      delivery_serial: 2,
      status: 'applied',
    });
    expect(await itemOf(scene, path)).toMatchObject({
      event: 'service:message.update',
      name: 'note',
      data: 'a',
      extras: { new: 1 },
      action: 'update',
      serial: 2,
      version: { description: 'why' },
    });
    const history = await read(scene, `${CHANNEL}/history`);
    expect(history.body).toMatchObject({
      items: [{ serial: 1, operation_kind: 'message.update', event_name: 'service:message.update' }],
    });
    expect(scene.told.at(-1)).toMatchObject({ name: 'message_version_created', action: 'message.update' });
    expect(scene.sent.at(-1)).toMatchObject({ op: 'update', serial: 2, history_serial: null });
  });

  it('grows by what is appended; its versions are listed page by page', async () => {
    const scene = await openLiving();
    const path = await made(scene, 'a');
    await post(scene, `${path}/append`, { data: ' x' });
    await post(scene, `${path}/append`, { data: '!' });
    expect(await itemOf(scene, path)).toMatchObject({ data: 'a x!', action: 'append' });
    const first = await read(scene, `${path}/versions`, { limit: '2' });
    const page = first.body as { items: { data: string }[]; next_cursor: string };
    expect(first.body).toMatchObject({ direction: 'newest_first', limit: 2, has_more: true });
    expect(page.items.map(({ data }) => data)).toEqual(['!', ' x']);
    const rest = await read(scene, `${path}/versions`, { limit: '2', cursor: page.next_cursor });
    expect(rest.body).toMatchObject({ has_more: false, items: [{ data: 'a', action: 'create' }] });
    expect(rest.body).not.toHaveProperty('next_cursor');
    const oldest = await read(scene, `${path}/versions`, { direction: 'oldest_first' });
    expect(oldest.body).toMatchObject({ items: [{ data: 'a' }, { data: ' x' }, { data: '!' }] });
    const wrong: Record<string, string>[] = [{ limit: '0' }, { direction: 'sideways' }, { cursor: 'a b' }];
    for (const query of wrong)
      expect(await read(scene, `${path}/versions`, query)).toMatchObject(refused(400, 'invalid_input'));
  });

  it('is deleted without a body, and read as deleted', async () => {
    const scene = await openLiving();
    const path = await made(scene, 'a');
    expect((await call(scene, 'POST', `${path}/delete`)).status).toBe(200);
    expect(await itemOf(scene, path)).toMatchObject({ action: 'delete', data: 'a' });
    await post(scene, `${path}/delete`, { clear_fields: ['data'] });
    expect(await itemOf(scene, path)).not.toHaveProperty('data');
  });

  it('is changed once by the same op_id', async () => {
    const scene = await openLiving();
    const path = await made(scene, 'a');
    const first = await post(scene, `${path}/append`, { data: 'x', op_id: 'o' });
    const again = await post(scene, `${path}/append`, { data: 'x', op_id: 'o' });
    expect(again.body).toEqual({ ...(first.body as object), status: 'duplicate' });
    expect(scene.sent.filter(({ op }) => op === 'append')).toHaveLength(1);
    expect(scene.told.filter(({ name }) => name === 'message_version_created')).toHaveLength(2);
    expect(await post(scene, `${path}/append`, { data: 'y', op_id: 'o' })).toMatchObject(
      refused(409, 'conflict'),
    );
    expect((await post(scene, `${path}/update`, { data: 'x', op_id: 'o' })).body).toMatchObject({
      status: 'applied',
    });
  });

  it('is not changed by what contradicts itself', async () => {
    const scene = await openLiving();
    const path = await made(scene, 'a');
    const wrong: [string, unknown][] = [
      ['update', {}],
      ['update', { data: null }],
      ['update', { clear_fields: ['data', 'data'] }],
      ['update', { clear_fields: ['other'] }],
      ['update', { data: 1, clear_fields: ['data'] }],
      ['update', { data: 1, op_id: '' }],
      ['update', { name: '' }],
      ['update', { data: 1, metadata: 'x'.repeat(8193) }],
      ['append', { data: 5 }],
      ['append', { data: '' }],
      ['append', {}],
      ['update', { data: 1, socket_id: 'x' }],
    ];
    for (const [kind, body] of wrong)
      expect(await post(scene, `${path}/${kind}`, body)).toMatchObject(refused(400, 'invalid_input'));
    const longName = await post(scene, `${path}/update`, { name: 'n'.repeat(201) });
    expect(longName).toMatchObject(refused(400, 'limit_exceeded'));
    await post(scene, `${path}/update`, { data: { a: 1 } });
    expect(await post(scene, `${path}/append`, { data: 'x' })).toMatchObject(refused(400, 'invalid_input'));
    const nobody = await post(scene, `${path}/update`, { data: 1, socket_id: '1.2' });
    expect(nobody).toMatchObject(refused(401, 'auth_failed'));
    const missing = path.replace(/\d$/, 'x');
    expect(await post(scene, `${missing}/update`, { data: 1 })).toMatchObject(refused(404, 'not_found'));
    expect(await read(scene, missing)).toMatchObject(refused(404, 'not_found'));
    expect(await read(scene, `${missing}/versions`)).toMatchObject(refused(404, 'not_found'));
    expect(await read(scene, `${CHANNEL}/messages/a%20b`)).toMatchObject(refused(400, 'invalid_input'));
  });

  it('is not there where messages do not live on', async () => {
    const scene = await openDurable();
    const path = `${CHANNEL}/messages/1`;
    expect(await post(scene, `${path}/update`, { data: 1 })).toMatchObject(refused(422, 'feature_disabled'));
    expect(await read(scene, path)).toMatchObject(refused(422, 'feature_disabled'));
  });

  it('may not be changed as a connection in role api', async () => {
    const scene = await openLiving({ role: 'api' });
    const path = await made(scene, 'a');
    const body = { data: 'x', socket_id: '1.2' };
    expect(await post(scene, `${path}/append`, body)).toMatchObject(refused(400, 'invalid_input'));
  });
});
