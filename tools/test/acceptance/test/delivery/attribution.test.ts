import { expect, it } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { onServer } from '../harness/every-app.js';
import { done, LIVING, made, post } from '../harness/living.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop', { channels: { annotations_enabled: true } });
const OWN = { publish: ['*'], 'message-update-own': ['*'], 'message-append-own': ['*'] };

onServer('a message published with socket_id', { tenants: [shop], env: LIVING }, (node) => {
  it('belongs to the user signed in on that connection when it is changed later', async () => {
    const owner = await ClientV2.connect(node);
    await owner.signin('ada', { capabilities: OWN });
    const other = await ClientV2.connect(node);
    await other.signin('bob', { capabilities: OWN });
    const { path } = await made(node, 'chat', 'a', { socket_id: owner.socketId });
    const { body } = await node.api().request('GET', path);
    expect(JSON.parse(body)).toMatchObject({ item: { version: { client_id: 'ada' } } });
    const [status] = await post(node, `${path}/update`, { data: 'b', socket_id: other.socketId });
    expect(status).toBe(403);
    await done(node, `${path}/update`, { data: 'b', socket_id: owner.socketId });
    await done(node, `${path}/append`, { data: 'c', socket_id: owner.socketId });
  });

  it('belongs to the user of a V1 connection when that user has V2 connections too', async () => {
    const old = await node.connect();
    await old.signin('ada');
    const { path } = await made(node, 'chat', 'a', { socket_id: old.socketId });
    const own = await ClientV2.connect(node);
    await own.signin('ada', { capabilities: OWN });
    await done(node, `${path}/update`, { data: 'b', socket_id: own.socketId });
  });
});
