import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, expect, it } from 'vitest';
import { DRY_PUSH } from '../harness/dry-push.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { basicOf, tokenRequest } from './key.js';

interface Content {
  readonly 'application/json'?: { readonly schema: object };
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}
type Call = readonly [method: string, path: string, body?: object];

const shop = openTenant('shop', { history: { enabled: true }, channels: { annotations_enabled: true } });
const REVOCABLE = { key: 'shop.revocable', secret: 'rev0c4ble' };
const env = {
  ENVIRONMENT: 'development',
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  PRESENCE_HISTORY_ENABLED: 'true',
  VERSIONED_MESSAGES_ENABLED: 'true',
  ANNOTATIONS_ENABLED: 'true',
  ...DRY_PUSH.env,
};
const config = {
  push: DRY_PUSH.config,
  compat: {
    enabled: true,
    stats_fixture_ingest_enabled: true,
    keys: [{ app_id: 'shop', key_name: REVOCABLE.key, secret: REVOCABLE.secret, revocable_tokens: true }],
  },
};
const ajv = new Ajv2020({ strict: false });
const phone = {
  id: 'd',
  clientId: 'ada',
  platform: 'android',
  formFactor: 'phone',
  push: { recipient: { transportType: 'fcm', registrationToken: 't' } },
};

/** The same, but that objects have no members beyond those it names. */
function closed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closed);
  const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  return 'properties' in value && 'type' in value ? { ...copy, additionalProperties: false } : copy;
}

onServer('the document for Ably clients', { tenants: [shop], config, env }, (node) => {
  let document: Document;
  const answered = new Set<string>();
  const url = (path: string): string => `http://127.0.0.1:${node.port}${path}`;

  beforeAll(async () => {
    document = (await (await fetch(url('/openapi-ably.json'))).json()) as Document;
  });

  /** Asks, and finds nothing in the answer that the document does not know. */
  async function ask(
    [method, path, body]: Call,
    status: number,
    authorization = basicOf(shop),
  ): Promise<unknown> {
    const answer = await fetch(url(path), {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect([method, path, answer.status, status === answer.status ? '' : text]).toEqual([
      method,
      path,
      status,
      '',
    ]);
    const [pathname = ''] = path.split('?');
    const [template = '', methods] =
      Object.entries(document.paths).find(([one]) =>
        new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
      ) ?? [];
    const operation = methods?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`the document has no ${method} ${path}`);
    const response = operation.responses[String(status)] ?? (status >= 400 ? refused() : undefined);
    if (response === undefined) throw new Error(`${method} ${template} does not answer ${status}`);
    if (status < 400) answered.add(operation.operationId);
    const schema = response.content?.['application/json']?.schema;
    if (schema === undefined) return text;
    const value: unknown = JSON.parse(text);
    fits(schema, value, closed);
    if (status < 400 && body !== undefined)
      fits(operation.requestBody?.content['application/json']?.schema, body);
    return value;
  }

  const refused = (): Operation['responses'][string] =>
    (document.components as { responses: { Refused: Operation['responses'][string] } }).responses.Refused;

  function fits(
    schema: object | undefined,
    value: unknown,
    view: (schema: unknown) => unknown = (one) => one,
  ): void {
    const validate = ajv.compile(view({ ...schema, components: document.components }) as object);
    validate(value);
    expect(validate.errors ?? []).toEqual([]);
  }

  it('knows every answer of every route, and each of its routes is there', async () => {
    await ask(['GET', '/time'], 200);
    await ask(['POST', `/keys/${shop.key}/requestToken`, tokenRequest(shop, { clientId: 'ada' })], 200);
    const targets = { targets: ['clientId:ada', 'other:x'], issuedBefore: null };
    await ask(['POST', `/keys/${REVOCABLE.key}/revokeTokens`, targets], 200, basicOf(REVOCABLE));
    const message = { name: 'n', data: { a: 1 }, clientId: 'ada', extras: { headers: { h: 'v' } } };
    for (const path of ['messages', 'publish', 'messages'])
      await ask(['POST', `/channels/c/${path}`, message], 201);
    await ask(['POST', '/channels/c/messages', [message, { data: 'text' }]], 201);
    const batch = { channels: ['a', '[meta]b'], messages: [message] };
    await ask(['POST', '/messages', [batch]], 200);
    await ask(['POST', '/messages', { channels: 'a', messages: message }], 201);
    await ask(['POST', '/messages', batch], 400);
    const items = await ask(['GET', '/channels/c/messages?limit=2'], 200);
    await ask(['GET', '/channels/c/history?direction=forwards'], 200);
    const { serial } = (items as { serial: string }[])[0] ?? { serial: '' };
    const path = `/channels/c/messages/${serial}`;
    const version = { description: 'why', metadata: { by: 'test' }, clientId: 'ada' };
    await ask(['PATCH', path, { data: 'other', version }], 200);
    await ask(['POST', `${path}/annotations`, { type: 'r:distinct.v1', name: 'like', clientId: 'ada' }], 201);
    for (const more of ['', '/versions', '/annotations']) await ask(['GET', `${path}${more}`], 200);
    await ask(['GET', '/channels/c/messages?limit=1'], 200);
    await ask(['GET', '/channels/c'], 200);
    await ask(['GET', '/channels/c/presence'], 200);
    await ask(['GET', '/channels/c/presence/history'], 200);
    await ask(['GET', '/presence?channels=a,[meta]b'], 200);
    const fixture = { intervalId: '2024-02-03:15:05', connections: { all: { peak: 2 } } };
    await ask(['POST', '/stats', [fixture]], 201);
    for (const unit of ['minute', 'month']) await ask(['GET', `/stats?unit=${unit}`], 200);
    for (const view of ['aggregation', 'compat-runtime']) await ask(['GET', `/operator/stats/${view}`], 200);
    await ask(['POST', '/push/deviceRegistrations', phone], 201);
    const { id: _id, ...unnamed } = phone;
    await ask(['PUT', '/push/deviceRegistrations/d', unnamed], 200);
    await ask(['PATCH', '/push/deviceRegistrations/d', { metadata: { a: 1 } }], 200);
    await ask(['GET', '/push/deviceRegistrations/d'], 200);
    await ask(['GET', '/push/deviceRegistrations'], 200);
    for (const who of [{ deviceId: 'd' }, { clientId: 'ada' }])
      await ask(['POST', '/push/channelSubscriptions', { channel: 'c', ...who }], 201);
    await ask(['GET', '/push/channelSubscriptions'], 200);
    await ask(['GET', '/push/channels'], 200);
    await ask(['POST', '/push/publish', { recipient: { deviceId: 'd' }, notification: { title: 't' } }], 201);
    await ask(['DELETE', '/push/channelSubscriptions?channel=c'], 204);
    await ask(['DELETE', '/push/deviceRegistrations/d'], 204);
    await ask(['DELETE', '/push/deviceRegistrations?clientId=ada'], 204);
    // There is no key here, and connections are not for this client.
    await ask(['GET', '/push/publicVapidKey'], 404);
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const others = all.map(({ operationId }) => operationId).filter((name) => !answered.has(name));
    expect(others.sort()).toEqual(['connect', 'webPushKey']);
  });

  it('knows what refusals look like', async () => {
    await ask(['GET', '/channels/c/messages?limit=0'], 400);
    await ask(['GET', '/channels/c/messages'], 401, '');
    await ask(['GET', '/channels/c/messages/none'], 404);
    await ask(['POST', '/push/publish', {}], 400);
  });
});
