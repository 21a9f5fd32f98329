import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exits, problems } from './harness.js';

const env = {
  CLUSTER_HEALTH_HEARTBEAT_INTERVAL: '20000',
  QUEUE_RETRY_JITTER: 'x',
  SERVICE_SERVER_ROLE: 'api',
};

/** Independent mistakes, each with its message. */
const MISTAKES: readonly (readonly [
  Readonly<Record<string, unknown>>,
  Readonly<Record<string, string>>,
  string,
])[] = [
  [{ port: 'x' }, {}, 'port: expected integer, got string'],
  [{ activity_timeout: 0 }, {}, 'activity_timeout: must be greater than 0'],
  [{ cors: { origin: [''] } }, {}, 'cors.origin[0]: pattern must not be empty'],
  [{ annotations: { enabled: true } }, {}, 'annotations.enabled requires versioned_messages.enabled'],
  [{ mcp: { path: '/up' } }, {}, 'mcp.path: shadows a built-in route'],
  [{ adaptor: {} }, {}, 'adaptor: unknown key (did you mean "adapter"?)'],
  [{ host: '${NOPE}' }, {}, 'unresolved environment variables in config: NOPE'],
  [
    { cluster_nodes: 1 },
    { CACHE_DRIVER: 'disk' },
    'CACHE_DRIVER: unknown value "disk" (expected memory, redis, redis-cluster, none)',
  ],
  [{}, { QUEUE_RETRY_JITTER: '2' }, 'queue.reliability.retry_jitter: must be between 0 and 1'],
  [{}, { SERVICE_DEFAULT_APP_KEY: 'k' }, 'SERVICE_DEFAULT_APP_*: ID, KEY and SECRET must be set together'],
  [{ compat: { keys: [{}] } }, {}, 'compat.keys[0].app_id: must not be empty'],
];

describe('the report of an invalid configuration', () => {
  it('holds every mistake, whichever come together', () => {
    fc.assert(
      fc.property(fc.subarray([...MISTAKES], { minLength: 1 }), (mistakes) => {
        const json = Object.assign({}, ...mistakes.map(([part]) => part)) as unknown;
        const given = Object.assign(
          { SERVICE_CONFIG_STRICT: '1' },
          ...mistakes.map(([, part]) => part),
        ) as Record<string, string>;
        const lines = problems({ json, env: given });
        expect(lines).toEqual(expect.arrayContaining(mistakes.map(([, , line]) => line)));
      }),
    );
  });

  it('lists every problem, sorted', () => {
    expect(exits({ env })).toEqual({
      kind: 'exit',
      code: 78,
      stdout: '',
      stderr: [
        'configuration invalid: 3 problems',
        '  1. adapter.cluster_health.heartbeat_interval_ms: must be at most one third of node_timeout_ms',
        '  2. QUEUE_RETRY_JITTER: not a number',
        '  3. server_role=api requires a horizontal adapter; adapter.driver=local is not supported',
        '',
      ].join('\n'),
    });
  });

  it('is one log line in JSON mode', () => {
    const { stderr } = exits({ env: { PORT: 'x', LOG_OUTPUT_FORMAT: 'json' } });
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(JSON.parse(stderr)).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      level: 'ERROR',
      target: 'service::config',
      fields: {
        message: 'configuration invalid',
        problems: [{ path: 'PORT', message: 'not an integer in range' }],
      },
    });
  });

  it('goes on without a file that cannot be parsed, and says so', () => {
    expect(problems({ toml: 'port = ', env: { QUEUE_RETRY_JITTER: 'x', ACTIVITY_TIMEOUT: '0' } })).toEqual([
      'activity_timeout: must be greater than 0 (file not read)',
      expect.stringMatching(/^config\/config\.toml: syntax error at line 1, column \d+$/),
      'QUEUE_RETRY_JITTER: not a number (file not read)',
    ]);
  });
});
