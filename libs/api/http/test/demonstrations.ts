import type { DESCRIPTIONS } from '@carillon/api-operations';
import { type Asked, type EffectScene, LOBBY, someMessage } from './effects.js';
import { call, publish } from './scene.js';

/** A request to one operation, or a function that makes it in a scene. */
export type Asking = Asked | ((scene: EffectScene) => Promise<Asked>);

/** The same request without a field and with it. */
export interface Demonstration {
  readonly without: Asking;
  readonly with: Asking;
}

/** Adds members to the body of a request. */
function withBody(asking: Asking, more: object): Asking {
  if (typeof asking === 'function') return async (scene) => withBody(await asking(scene), more) as Asked;
  return { ...asking, body: { ...asking.body, ...more } };
}

function withQuery(asking: Asking, more: Record<string, string>): Asking {
  if (typeof asking === 'function') return async (scene) => withQuery(await asking(scene), more) as Asked;
  return { ...asking, options: { ...asking.options, query: { ...asking.options?.query, ...more } } };
}

const inBody = (base: Asking, fields: Readonly<Record<string, unknown>>): Record<string, Demonstration> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      { without: base, with: withBody(base, { [name]: value }) },
    ]),
  );

const inQuery = (base: Asking, options: Readonly<Record<string, string>>): Record<string, Demonstration> =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      { without: base, with: withQuery(base, { [name]: value }) },
    ]),
  );

const prefixed = (prefix: string, all: Record<string, Demonstration>): Record<string, Demonstration> =>
  Object.fromEntries(Object.entries(all).map(([name, one]) => [`${prefix}${name}`, one]));

const post = (path: string, body: object): Asked => ({ method: 'POST', path, body });
const get = (path: string): Asked => ({ method: 'GET', path });

/** Fields of one event, in a single publish or in a batch. */
function eventFields(ask: (event: object) => Asking): Record<string, Demonstration> {
  const event = { name: 'e', channel: 'orders', data: 'x' };
  const asked = ask(event);
  const plain = (base: object): Asking => (base === event ? asked : ask(base));
  const fields = (more: Record<string, unknown>, base: object = event): Record<string, Demonstration> =>
    Object.fromEntries(
      Object.entries(more).map(([name, value]) => [
        name,
        { without: plain(base), with: ask({ ...base, [name]: value }) },
      ]),
    );
  const extras = (more: Record<string, unknown>, base: object = event): Record<string, Demonstration> =>
    Object.fromEntries(
      Object.entries(more).map(([name, value]) => [
        `extras.${name}`,
        { without: plain(base), with: ask({ ...base, extras: { [name]: value } }) },
      ]),
    );
  return {
    ...fields({
      name: 'other',
      channels: ['news'],
      channel: 'news',
      data: 'y',
      socket_id: '1.2',
      info: 'subscription_count',
      tags: { region: 'eu' },
      delta: false,
      idempotency_key: 'k',
      message_id: 'm',
      extras: { ref: 1 },
    }),
    ...extras({ headers: { a: 1 }, ephemeral: true, echo: true, idempotencyKey: 'k' }),
    ...extras({ ai: { transport: { status: 'streaming' } } }, { ...event, channel: 'ai-a' }),
  };
}

const published = async (scene: EffectScene, path: string): Promise<Asked> => {
  for (const data of ['1', '2', '3', '4']) await publish(scene, { name: 'e', channel: 'orders', data });
  return get(path);
};

const HISTORY = '/channels/orders/history';
const PRESENCE = `/channels/${LOBBY}/presence/history`;

/** A page of a history that begins where the one before ended. */
async function secondPage(scene: EffectScene, path: string): Promise<string> {
  const { body } = await call(scene, 'GET', path, undefined, { query: { limit: '1' } });
  return (body as { next_cursor: string }).next_cursor;
}

const pages = (path: string): Record<string, Demonstration> => {
  const base: Asking = (scene) => published(scene, path);
  const future = '9000000000000';
  return {
    ...inQuery(base, {
      limit: '1',
      direction: 'oldest_first',
      start_serial: '3',
      end_serial: '2',
      start_time_ms: future,
      end_time_ms: '1',
      start: future,
      end: '1',
    }),
    cursor: {
      without: base,
      with: async (scene) =>
        withQuery(await published(scene, path), { cursor: await secondPage(scene, path) }) as Asked,
    },
  };
};

const confirmed = (channel: string, operation: string) => ({
  confirm_channel: channel,
  confirm_operation: operation,
  reason: 'test',
});

/** Removes one of the members that a request must have. */
const lacking = (
  base: (body: object) => Asking,
  body: Record<string, unknown>,
  name: string,
): Demonstration => {
  const { [name]: _removed, ...rest } = body;
  return { without: base(rest), with: base(body) };
};

function confirmation(path: string, channel: string, operation: string, more: object = {}) {
  const body: Record<string, unknown> = { ...confirmed(channel, operation), ...more };
  const ask =
    (given: object): Asking =>
    async (scene) => {
      await published(scene, HISTORY);
      return post(path, given);
    };
  return {
    ...Object.fromEntries(
      Object.keys(confirmed(channel, operation)).map((name) => [name, lacking(ask, body, name)]),
    ),
    ...inBody(ask(body), { requested_by: 'ops' }),
  };
}

const purge =
  (more: object): Asking =>
  async (scene) => {
    await published(scene, HISTORY);
    return post(`${HISTORY}/purge`, { ...confirmed('orders', 'purge'), ...more });
  };

const changing =
  (kind: string, body: object): Asking =>
  async (scene) =>
    post(`${await someMessage(scene)}/${kind}`, body);

const changed = (kind: string, body: object): Record<string, Demonstration> => ({
  ...prefixed('extras.', {
    headers: {
      without: changing(kind, body),
      with: changing(kind, { ...body, extras: { headers: { a: 1 } } }),
    },
    ai: {
      without: changing(kind, body),
      with: changing(kind, { ...body, extras: { ai: { transport: {} } } }),
    },
  }),
  ...inBody(changing(kind, body), {
    extras: { ref: 2 },
    client_id: 'u1',
    socket_id: '1.2',
    description: 'typo',
    metadata: { tool: 'x' },
    op_id: 'op-1',
  }),
});

const annotating =
  (body: object): Asking =>
  async (scene) => {
    const path = `${await someMessage(scene)}/annotations`;
    // A later list request shows the annotation.
    return post(path, { type: 'r:total.v1', ...body });
  };

const annotated = async (scene: EffectScene): Promise<string> => {
  const path = `${await someMessage(scene)}/annotations`;
  for (const type of ['r:total.v1', 's:total.v1', 's:total.v1']) await call(scene, 'POST', path, { type });
  return path;
};

const listed: Asking = async (scene) => get(await annotated(scene));
const refusedSocket =
  (asking: Asking): Asking =>
  async (scene) => {
    scene.sockets.acting = null;
    return typeof asking === 'function' ? asking(scene) : asking;
  };

const serialsOf = async (scene: EffectScene, path: string): Promise<readonly string[]> => {
  const { body } = await call(scene, 'GET', path);
  return (body as { items: { serial: string }[] }).items.map(({ serial }) => serial);
};

const deleted: Asking = async (scene) => {
  const path = await annotated(scene);
  return { method: 'DELETE', path: `${path}/${(await serialsOf(scene, path))[0] ?? ''}` };
};

const versions: Asking = async (scene) => get(`${await someMessage(scene)}/versions`);
const state = get('/channels/orders');
const revocation = post('/revocations', { jti: 't-1' });

/** By operation and field. A field without a demonstration, or without an effect, fails the test. */
export const DEMONSTRATIONS: Readonly<Record<keyof typeof DESCRIPTIONS, Record<string, Demonstration>>> = {
  publishEvent: {
    ...eventFields((event) => post('/events', event)),
    'X-Idempotency-Key': {
      without: post('/events', { name: 'e', channel: 'orders' }),
      with: {
        ...post('/events', { name: 'e', channel: 'orders' }),
        options: { headers: { 'X-Idempotency-Key': 'k' } },
      },
    },
  },
  publishBatch: {
    ...prefixed(
      'batch.',
      eventFields((event) => post('/batch_events', { batch: [event] })),
    ),
    ...inBody(post('/batch_events', { batch: [] }), { batch: [{ name: 'e', channel: 'orders' }] }),
    'X-Idempotency-Key': {
      without: post('/batch_events', { batch: [{ name: 'e', channel: 'orders' }] }),
      with: {
        ...post('/batch_events', { batch: [{ name: 'e', channel: 'orders' }] }),
        options: { headers: { 'X-Idempotency-Key': 'k' } },
      },
    },
  },
  revokeTokens: {
    ...inBody(post('/revocations', { client_id: 'u-9' }), { jti: 't-1' }),
    ...inBody(revocation, {
      client_id: 'u-9',
      ttl_seconds: 600,
      expires_at: 1_760_000_000 + 600,
      reason: 'stolen',
    }),
  },
  readHistory: pages(HISTORY),
  historyState: {},
  resetHistory: confirmation(`${HISTORY}/reset`, 'orders', 'reset'),
  purgeHistory: {
    ...confirmation(`${HISTORY}/purge`, 'orders', 'purge', { mode: 'all' }),
    mode: { without: purge({}), with: purge({ mode: 'all' }) },
    before_serial: {
      without: purge({ mode: 'before_serial', before_serial: 2 }),
      with: purge({ mode: 'before_serial', before_serial: 4 }),
    },
    before_time_ms: {
      without: purge({ mode: 'before_time_ms', before_time_ms: 1 }),
      with: purge({ mode: 'before_time_ms', before_time_ms: 9_000_000_000_000 }),
    },
  },
  readPresenceHistory: pages(PRESENCE),
  presenceHistoryState: {},
  presenceSnapshot: inQuery(get(`${PRESENCE}/snapshot`), { at_serial: '1', at_time_ms: '1', at: '1' }),
  resetPresenceHistory: confirmation(`${PRESENCE}/reset`, LOBBY, 'reset'),
  readMessage: {},
  listVersions: {
    ...inQuery(versions, { limit: '1', direction: 'oldest_first' }),
    cursor: {
      without: versions,
      with: async (scene) => {
        const path = `${await someMessage(scene)}/versions`;
        return withQuery(get(path), { cursor: await secondPage(scene, path) }) as Asked;
      },
    },
  },
  updateMessage: {
    ...changed('update', { data: 'z' }),
    ...inBody(changing('update', { extras: {} }), {
      name: 'renamed',
      data: { a: 1 },
      clear_fields: ['data'],
    }),
  },
  deleteMessage: {
    ...changed('delete', {}),
    ...inBody(changing('delete', {}), { data: 'z', clear_fields: ['data'] }),
  },
  appendMessage: {
    ...changed('append', { data: 'z' }),
    ...inBody(changing('append', { data: 'z' }), { data: 'y' }),
  },
  annotateMessage: {
    ...inBody(annotating({}), {
      type: 's:total.v1',
      name: 'like',
      clientId: 'u1',
      client_id: 'u1',
      data: { tone: 1 },
      encoding: 'json',
      socketId: '1.2',
      socket_id: '1.2',
    }),
    ...inBody(annotating({ type: 'r:multiple.v1', name: 'like' }), { count: 2 }),
  },
  listAnnotations: {
    ...inQuery(listed, { type: 's:total.v1', limit: '1' }),
    ...inQuery(refusedSocket(listed), { socket_id: '9.9', socketId: '9.9' }),
    from_serial: {
      without: listed,
      with: async (scene) => {
        const path = await annotated(scene);
        const [first = ''] = await serialsOf(scene, path);
        return withQuery(get(path), { from_serial: first }) as Asked;
      },
    },
  },
  deleteAnnotation: inQuery(refusedSocket(deleted), { socket_id: '9.9', socketId: '9.9' }),
  listChannels: inQuery(get('/channels'), { filter_by_prefix: 'ord', info: 'subscription_count' }),
  channelState: inQuery(state, { info: 'subscription_count' }),
  channelUsers: {},
  terminateConnections: {},
  forceReconnect: {},
};
