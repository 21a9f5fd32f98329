import * as fc from 'fast-check';
import { type Span, useTracer } from '@carillon/tracing';
import { DESCRIPTIONS } from '@carillon/api-operations';
import { ServiceError } from '@carillon/errors';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scene } from './scene.js';
import { canonicalJson, cut, redact } from '../src/audit/redact.js';

const ignore = (): void => undefined;

const SECRET = 'hunter2-hunter2';

describe('redaction', () => {
  it('lets no secret through, whatever stands around it', () => {
    const names = [
      'token',
      'deviceToken',
      'private_secret',
      'Authorization_PASSWORD',
      'p256dh',
      'endpoint',
      'clientAuth',
    ];
    const arguments_ = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 3 }),
        fc.constantFrom(...names).map((name) => ({ [name]: SECRET })),
        fc
          .constantFrom('data', 'extras', 'payload', 'user_info')
          .map((name) => ({ [name]: { deep: SECRET } })),
      ),
    })).value;
    fc.assert(
      fc.property(arguments_, (given) => {
        expect(JSON.stringify(redact(given)) ?? '').not.toContain(SECRET);
      }),
    );
  });

  it('says the size of content, and what else was asked', () => {
    expect(redact({ channel: 'orders', data: 'äb', extras: { a: 1 }, limit: 5 })).toEqual({
      channel: 'orders',
      data: '[3 bytes]',
      extras: '[7 bytes]',
      limit: 5,
    });
  });

  it('keeps a text on one bounded line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        // oxlint-disable-next-line no-control-regex -- nothing of it may be left
        expect(cut(text, 64)).not.toMatch(/[\u0000-\u001f\u007f\u2028]/);
      }),
    );
    expect(cut('desk\nagent')).toBe('desk\\u000aagent');
  });

  it('takes equal arguments for equal', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const turned = Object.fromEntries(Object.entries(given).toReversed());
        expect(canonicalJson(turned)).toBe(canonicalJson(given));
        expect(JSON.parse(canonicalJson(given))).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });
});

describe('a record of a call', () => {
  it('names the trace that the request belongs to', async () => {
    const span: Span = {
      name: 'request',
      traceId: 'a'.repeat(32),
      trace: '',
      headers: {},
      set: ignore,
      fail: ignore,
      end: ignore,
    };
    onTestFinished(useTracer({ start: () => span, within: (_, work) => work(), current: () => span }));
    const { begin, call, records } = await scene();
    await call(await begin(), 'get_health', {});
    const record = records().find(({ event }) => event === 'mcp.tool.called');
    expect(record?.['trace_id']).toBe('a'.repeat(32));
  });
});

describe('a record of a read', () => {
  const answers: Record<string, () => object> = {
    orders: () => ({ items: [] }),
    torn: () => {
      throw new ServiceError('service_unavailable', { retryAfterSeconds: 1 });
    },
    broken: () => {
      throw new Error('hush');
    },
  };
  const readHistory = {
    description: DESCRIPTIONS.readHistory,
    perform: async (_caller: unknown, { channel }: { channel: string }) => ({
      value: answers[channel]?.() ?? {},
    }),
  };

  it.each([
    ['shop/channels/orders', { app_id: 'shop', target: 'orders', outcome: 'ok', status: 200, code: null }],
    ['shop/channels/torn', { app_id: 'shop', target: 'torn', outcome: 'error', status: 503 }],
    ['other/channels/orders', { app_id: 'other', outcome: 'denied', status: 403, code: 'forbidden' }],
  ])('of %s says of which app and what, and what became of it', async (path, record) => {
    const { begin, send, records } = await scene({ operations: { readHistory } });
    const uri = `service://apps/${path}/history`;
    await send({ id: 1, method: 'resources/read', params: { uri } }, { session: await begin() });
    expect(records().at(-1)).toMatchObject({
      event: 'mcp.resource.read',
      tool: uri,
      scope_used: 'read',
      ...record,
    });
  });

  it('that broke leaves the fault in the log as well', async () => {
    const { begin, send, lines } = await scene({ operations: { readHistory } });
    const params = { uri: 'service://apps/shop/channels/broken/history' };
    const { json } = await send({ id: 1, method: 'resources/read', params }, { session: await begin() });
    expect(json).toMatchObject({ error: { code: -32_603, data: { code: 'internal_error', status: 500 } } });
    expect(lines.join()).toContain('hush');
    expect(JSON.stringify(json)).not.toContain('hush');
  });

  it('of a URI that is none says that there is nothing', async () => {
    const { begin, send, records } = await scene();
    await send(
      { id: 1, method: 'resources/read', params: { uri: 'service://none' } },
      { session: await begin() },
    );
    expect(records().at(-1)).toMatchObject({
      outcome: 'error',
      status: 404,
      code: 'not_found',
      app_id: null,
    });
  });
});

describe('a record of a refused request', () => {
  it('is left by a version that is not served, with a session or without', async () => {
    const { begin, send, records } = await scene();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2030-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    await send({ id: 1, method: 'tools/list', params: { _meta: meta } });
    await send({ id: 1, method: 'ping' }, { session: await begin(), version: '2020-01-01' });
    const rejected = records().filter(({ event }) => event === 'mcp.request.rejected');
    expect(rejected.map(({ reason, principal }) => [reason, principal])).toEqual([
      ['version', 'all'],
      ['version', 'all'],
    ]);
  });
});
