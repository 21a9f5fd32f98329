import { expect, it } from 'vitest';
import { expectRefused, told } from '../harness/answers.js';
import type { Api } from '../harness/api.js';
import { onServerHttp } from '../harness/every-app.js';
import { published } from '../harness/frames.js';
import { tenant } from '../harness/tenant.js';

const brief = tenant('brief', { limits: { max_event_batch_size: 2 } });
const send = (api: Api, batch: unknown, headers = {}) =>
  api.request('POST', '/batch_events', { body: JSON.stringify({ batch }), headers });
const events = (...data: string[]) => data.map((one) => ({ name: 'e', channel: 'a', data: one }));

onServerHttp('a batch', { tenants: [tenant('shop'), brief] }, (node) => {
  it('arrives in its order and is answered with nothing when nothing was asked', async () => {
    const client = await node.connect();
    await client.subscribe('a');
    expect(await send(node.api(), events('1', '2', '3'))).toMatchObject({ status: 200, body: '{}' });
    expect(await client.pending()).toEqual(['1', '2', '3'].map((data) => published('a', 'e', data)));
    expect(await send(node.api(), [])).toMatchObject({ status: 200, body: '{}' });
  });

  it('tells about each event that asked, at its place', async () => {
    const [one, two, three] = events('1', '2', '3');
    const batch = [one, { ...two, info: 'subscription_count' }, three];
    expect(await told(send(node.apiAt(node.port), batch))).toEqual([
      200,
      { batch: [{}, { acknowledgement_id: expect.any(String) as string, subscription_count: 0 }, {}] },
    ]);
  });

  it('with an event that is refused publishes nothing and names it', async () => {
    const client = await node.connect();
    await client.subscribe('a');
    const refusal = expect.stringMatching(/^batch\[2\]: /) as string;
    await expectRefused(
      send(node.api(), [...events('1', '2'), { channel: 'a' }]),
      400,
      'invalid_input',
      refusal,
    );
    await expectRefused(send(node.api(), [...events('1', '2'), 'x']), 400, 'invalid_input', refusal);
    await expectRefused(send(node.api(), { name: 'e' }), 400, 'invalid_input');
    expect(await client.pending()).toEqual([]);
  });

  it('longer than its app may send is refused and leaves its key unused', async () => {
    const client = await node.connect(brief);
    await client.subscribe('a');
    const headers = { 'X-Idempotency-Key': 'batch-of-three' };
    await expectRefused(send(node.api(brief), events('1', '2', '3'), headers), 400, 'limit_exceeded');
    const second = await send(node.api(brief), events('1', '2'), headers);
    expect([second.status, second.headers['x-idempotency-replayed']]).toEqual([200, undefined]);
    expect(await client.pending()).toEqual([published('a', 'e', '1'), published('a', 'e', '2')]);
  });
});
