import { fileURLToPath } from 'node:url';
import { spawnNode } from '@carillon/testing';
import { describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));

async function refusal(env: Record<string, string>): Promise<{ code: unknown; output: string }> {
  const api = spawnNode(MAIN, [], { HOST: '127.0.0.1', METRICS_ENABLED: 'false', ...env });
  const code = await new Promise((done) => api.child.once('close', done));
  return { code, output: api.output };
}

describe('the api process', () => {
  it('does not start on the local adapter, because nobody would hear it', async () => {
    const { code, output } = await refusal({});
    expect(code).toBe(78);
    expect(output).toContain(
      'server_role=api requires a horizontal adapter; adapter.driver=local is not supported',
    );
  });

  it('does not fall back to it either, and says both at once', async () => {
    const { code, output } = await refusal({ ADAPTER_FALLBACK_TO_LOCAL: 'true' });
    expect(code).toBe(78);
    expect(output).toContain('server_role=api requires a horizontal adapter');
    expect(output).toContain('server_role=api cannot use adapter.fallback_to_local');
  });

  it('does not take the role of a gateway', async () => {
    const { code, output } = await refusal({ SERVICE_SERVER_ROLE: 'default' });
    expect(code).toBe(78);
    expect(output).toContain('server_role');
  });
});
