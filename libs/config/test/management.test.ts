import { describe, expect, it } from 'vitest';
import { configured } from './harness.js';

const HASH = 'a'.repeat(64);

/** The problems of a section; empty when it is valid. */
function problems(management: object, env: Record<string, string> = {}): string {
  const outcome = configured({ json: { management: { enabled: true, ...management } }, env });
  return outcome.kind === 'exit' ? outcome.stderr : '';
}

const token = (more: object = {}) => ({
  name: 'ops',
  token_hash: HASH,
  scopes: ['read'],
  apps: ['*'],
  ...more,
});

describe('the section management', () => {
  it('needs a port in production, and no one-time login', () => {
    const text = problems({ tokens: [token()], one_time_login: true });
    expect(text).toContain('management.port: required when mode is production');
    expect(text).toContain('management.one_time_login: is not allowed in production');
    expect(problems({ tokens: [token()], port: 7001 })).toBe('');
  });

  it('needs a token or the one-time login', () => {
    expect(problems({ port: 7001 })).toContain('management: no tokens configured');
    expect(problems({}, { ENVIRONMENT: 'development' })).toBe('');
  });

  it.each([
    ['name', { name: 'one-time' }],
    ['token_hash', { token_hash: 'ABC' }],
    ['scopes', { scopes: ['all'] }],
    ['apps', { apps: ['*', 'shop'] }],
    ['expires_at', { expires_at: 'tomorrow' }],
  ])('refuses a token with an invalid %s', (field, more) => {
    expect(problems({ port: 7001, tokens: [token(more)] })).toContain(`management.tokens[0].${field}`);
  });

  it('refuses repeated names and hashes, and an idle time beyond the longest session', () => {
    const text = problems({
      port: 7001,
      tokens: [token(), token()],
      session_idle_seconds: 61,
      session_max_seconds: 60,
    });
    expect(text).toContain('management.tokens: duplicate name "ops"');
    expect(text).toContain('management.tokens: duplicate token_hash');
    expect(text).toContain('management.session_idle_seconds: must be at most session_max_seconds');
  });

  it('takes one token of the environment', () => {
    const outcome = configured({
      env: { ENVIRONMENT: 'development', MANAGEMENT_ENABLED: 'true', MANAGEMENT_TOKEN_HASH: HASH },
    });
    if (outcome.kind === 'exit') throw new Error(outcome.stderr);
    expect(outcome.config.management.tokens).toMatchObject([
      { name: 'env', token_hash: HASH, scopes: ['read'], apps: ['*'] },
    ]);
  });
});
