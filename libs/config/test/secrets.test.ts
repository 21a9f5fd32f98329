import * as fc from 'fast-check';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { leavesOf } from '../src/kernel/walk.js';
import { redactUrls } from '../src/redact.js';
import { schema } from '../src/schema/index.js';
import { configured, printed } from './harness.js';

const MARKER = 'MARKER-that-nobody-else-writes-7f3a';

/** A file in which every secret there is holds the marker. */
function fileFullOfSecrets(): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  const put = (path: string, value: unknown): void => {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const holder = keys.reduce<Record<string, unknown>>(
      (at, key) => (at[key] ??= {}) as Record<string, unknown>,
      tree,
    );
    holder[last] = value;
  };
  for (const { path, node } of leavesOf(schema)) {
    if (node.secret) put(path, node.type.name.startsWith('list') ? [MARKER] : MARKER);
  }
  put('mcp.tokens', [{ name: 'a', token: MARKER, scopes: ['read'], apps: ['*'] }]);
  put('compat.keys', [{ app_id: 'a', key_name: 'a.b', secret: MARKER }]);
  put('adapter.nats.servers', [`nats://${MARKER}:${MARKER}@host:4222`]);
  put('queue.rabbitmq.url', `amqp://u:${MARKER}@host:5672`);
  put('cache.redis.url_override', `redis://:${MARKER}%2Fwith@signs@host:1`);
  put('database.dynamodb.aws_access_key_id', 'id');
  const webhook = {
    url: `https://u:${MARKER}@h.example/`,
    event_types: ['channel_occupied'],
    headers: { auth: MARKER },
  };
  put('app_manager.array.apps', [
    { id: 'a', key: `k${MARKER}`, secret: MARKER, policy: { webhooks: [webhook] } },
  ]);
  return tree;
}

const secretVariables = leavesOf(schema)
  .filter(({ node }) => node.secret)
  .flatMap(({ node }) => node.env.map(({ name }) => name));

const SPECIAL = [
  'MCP_TOKEN',
  'SERVICE_COMPAT_KEYS_JSON',
  'SERVICE_DEFAULT_APP_KEY',
  'SERVICE_DEFAULT_APP_SECRET',
  'REDIS_URL',
];

describe('secrets', () => {
  const everything = fileFullOfSecrets();

  it('reach the process', () => {
    const result = configured({ json: everything });
    if (result.kind === 'exit') throw new Error(result.stderr);
    expect(result.config.database.mysql.password.reveal()).toBe(MARKER);
    expect(result.config.push.credential_encryption_key_previous[0]?.reveal()).toBe(MARKER);
  });

  it('are not in the printed tree, nor the userinfo of URLs', () => {
    const text = JSON.stringify(printed({ json: everything }));
    expect(text).not.toContain(MARKER);
    expect(text).toContain('"nats://<redacted>@host:4222"');
    expect(text).toContain('"amqp://<redacted>@host:5672"');
    expect(text).toContain('"redis://<redacted>@host:1"');
  });

  it('are not in the printed tree either where an address comes without a scheme', () => {
    const adapter = { nats: { servers: [`user:${MARKER}@host:4222`, `${MARKER}@host`, 'plain:4222'] } };
    const database = { redis: { cluster: { nodes: [`user:${MARKER}@host:1`] } } };
    const tree = printed({ json: { adapter, database } });
    const text = JSON.stringify(tree);
    expect(text).not.toContain(MARKER);
    expect(text).toContain('["<redacted>@host:4222","<redacted>@host","plain:4222"]');
  });

  it('are not in what an accidental log of the settings shows', () => {
    const result = configured({ json: everything });
    if (result.kind === 'exit') throw new Error(result.stderr);
    const { database, push, mcp, compat, ssl } = result.config;
    const shown = { database, push, mcp, compat, ssl };
    expect(JSON.stringify(shown) + inspect(shown, { depth: 9 })).not.toContain(MARKER);
  });

  it('are in no output, whatever else is wrong and however it is shown', () => {
    const broken = fc.record({
      port: fc.constantFrom<unknown>(6001, 'x', 0),
      mode: fc.constantFrom('production', 'development'),
      adapter: fc.constantFrom<unknown>(everything['adapter'], { driver: 'nats' }, 3),
      unknown: fc.boolean(),
    });
    const asked = fc.constantFrom<readonly string[]>([], ['--check-config'], ['--print-config']);
    const variables = fc.subarray([...secretVariables, ...SPECIAL]);
    fc.assert(
      fc.property(broken, asked, variables, fc.constantFrom('text', 'json'), (json, argv, names, format) => {
        const env = Object.fromEntries(names.map((name) => [name, `${MARKER} ://x@`]));
        const result = configured({
          json: { ...everything, ...json },
          argv,
          env: { ...env, LOG_OUTPUT_FORMAT: format },
        });
        const shown =
          result.kind === 'exit' ? result.stdout + result.stderr : JSON.stringify(result.warnings);
        expect(shown).not.toContain(MARKER);
      }),
    );
  });

  it('of a URL in any text are hidden', () => {
    expect(redactUrls('cannot reach nats://a:b@h:1, redis://:p@/w@i/0 or http://plain.example/x')).toBe(
      'cannot reach nats://<redacted>@h:1, redis://<redacted>@i/0 or http://plain.example/x',
    );
  });
});
