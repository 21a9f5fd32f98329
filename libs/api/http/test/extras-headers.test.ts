import { describe, expect, it } from 'vitest';
import { made, openLiving } from './living.js';
import { call, publish, read, refused } from './scene.js';

const MUST = 'extras.headers must hold only strings, numbers and booleans, but';
const MALFORMED: readonly (readonly [headers: unknown, error: string])[] = [
  [[], 'extras.headers must be an object'],
  ['a=1', 'extras.headers must be an object'],
  [7, 'extras.headers must be an object'],
  [{ a: { b: 1 } }, `${MUST} "a" is an object`],
  [{ ok: 1, list: ['x'] }, `${MUST} "list" is an array`],
];

/** Every operation that takes `extras`, as a request about a message that exists. */
const VERBS = {
  publish: (_: string, extras: object) => ['/events', { name: 'e', channel: 'orders', extras }],
  batch: (_: string, extras: object) => [
    '/batch_events',
    { batch: [{ name: 'e', channel: 'orders', extras }] },
  ],
  update: (path: string, extras: object) => [`${path}/update`, { extras }],
  delete: (path: string, extras: object) => [`${path}/delete`, { extras }],
  append: (path: string, extras: object) => [`${path}/append`, { data: 'x', extras }],
} as const satisfies Record<string, (path: string, extras: object) => readonly [string, object]>;

const each = Object.keys(VERBS) as (keyof typeof VERBS)[];

describe.each(each)('%s', (verb) => {
  it.each(MALFORMED)('answers 400 and changes nothing when extras.headers is %j', async (headers, error) => {
    const scene = await openLiving();
    const path = await made(scene);
    const before = [scene.sent.length, (await read(scene, '/channels/orders/history')).body];
    const [to, body] = VERBS[verb](path, { headers });
    const text = verb === 'batch' ? `batch[0]: ${error}` : error;
    expect(await call(scene, 'POST', to, body)).toMatchObject(refused(400, 'invalid_input', text));
    expect([scene.sent.length, (await read(scene, '/channels/orders/history')).body]).toEqual(before);
  });

  it('takes flat headers and drops those that are null', async () => {
    const scene = await openLiving();
    const path = await made(scene);
    const headers = { text: 'a', number: 1.5, flag: false, none: null };
    const [to, body] = VERBS[verb](path, { headers });
    expect((await call(scene, 'POST', to, body)).status).toBe(200);
    const frame = JSON.parse(scene.sent.at(-1)?.message ?? '{}') as { extras: { headers: object } };
    expect(frame.extras.headers).toMatchObject({ text: 'a', number: 1.5, flag: false });
    expect(frame.extras.headers).not.toHaveProperty('none');
  });
});

it('a publish is refused when another member of extras that means something is malformed', async () => {
  const scene = await openLiving();
  for (const extras of [{ ephemeral: 1 }, { echo: 'yes' }, { idempotencyKey: 1 }, { push: [] }, { ai: 'x' }])
    expect(await publish(scene, { name: 'e', channel: 'orders', extras })).toMatchObject(
      refused(400, 'invalid_input'),
    );
});
