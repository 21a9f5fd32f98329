import { describe, expect, it } from 'vitest';
import { exits, problems } from './harness.js';

const env = {
  CLUSTER_HEALTH_HEARTBEAT_INTERVAL: '20000',
  QUEUE_RETRY_JITTER: 'x',
  SERVICE_SERVER_ROLE: 'api',
};

describe('the report of an invalid configuration', () => {
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
