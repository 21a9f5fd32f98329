import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { configFile, QUICK, runServer, startServer } from './running-server.js';

const exit = async (args: readonly string[], env: Record<string, string> = {}) => {
  const server = runServer(args, env);
  const code = await new Promise((done) => server.child.once('close', done));
  return { code, output: server.output };
};

describe('starting with a bad configuration', () => {
  it('names every problem at once and listens nowhere', async () => {
    const { code, output } = await exit([], {
      PORT: 'abc',
      QUEUE_RETRY_JITTER: '2',
      LOG_OUTPUT_FORMAT: 'text',
      CLUSTER_HEALTH_HEARTBEAT_INTERVAL: '20000',
    });
    expect(code).toBe(78);
    expect(output).toMatch(/^configuration invalid: 3 problems$/m);
    expect(output).toContain('PORT: not an integer in range');
    expect(output).toContain('queue.reliability.retry_jitter');
    expect(output).toContain('heartbeat_interval_ms: must be at most one third of node_timeout_ms');
  });

  it('refuses a file that is missing, naming it', async () => {
    const { code, output } = await exit(['--config', '/nowhere/missing.toml']);
    expect(code).toBe(78);
    expect(output).toContain('/nowhere/missing.toml');
  });

  it('refuses a bad command line with a code of its own', async () => {
    expect((await exit(['--config', 'a', '--config', 'b'])).code).toBe(64);
    expect((await exit(['--no-such-flag'])).code).toBe(64);
  });

  it('refuses an unknown driver', async () => {
    const { code, output } = await exit([], { APP_MANAGER_DRIVER: 'oracle', LOG_OUTPUT_FORMAT: 'text' });
    expect(code).toBe(78);
    expect(output).toContain('APP_MANAGER_DRIVER: unknown value "oracle" (expected memory,');
  });
});

describe('looking at the configuration', () => {
  it('checks it without starting', async () => {
    expect(await exit(['--check-config'])).toEqual({ code: 0, output: 'configuration OK (0 warnings)\n' });
  });

  it('prints it without secrets', async () => {
    const file = configFile('nats.toml', '[adapter.nats]\nservers = ["nats://user:hush@broker:4222"]\n');
    const { code, output } = await exit(['-c', file, '--print-config']);
    expect(code).toBe(0);
    const printed = JSON.parse(output) as { adapter: { nats: { servers: string[] } } };
    expect(printed.adapter.nats.servers).toEqual(['nats://<redacted>@broker:4222']);
    expect(output).not.toContain('hush');
    expect(output).not.toContain(QUICK.SERVICE_DEFAULT_APP_SECRET);
    expect(output).not.toContain(QUICK.SERVICE_DEFAULT_APP_KEY);
  });
});

describe('a running server', () => {
  it('takes its one app from the environment, whatever the file lists', async () => {
    const file = configFile(
      'apps.json',
      JSON.stringify({ app_manager: { array: { apps: [{ id: 'filed', key: 'k', secret: 's' }] } } }),
    );
    const server = await startServer({}, ['--config', file]);
    expect((await server.request('/up/shop')).status).toBe(200);
    expect((await server.request('/up/filed')).status).toBe(404);
    await server.process.kill();
  });

  it('never logs the key or the secret of its app', async () => {
    const server = await startServer({ RUST_LOG: 'trace', DEBUG: 'true' });
    await server.request('/up/shop?auth_key=shop-key&auth_signature=5ec2e7');
    await server.process.kill();
    expect(server.process.output).not.toMatch(/shop-key|shop-secret|5ec2e7/);
    for (const line of server.process.output.trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ fields: { message: expect.any(String) as string } });
    }
  });
});

describe('a main port that is taken', () => {
  it('by another process of this service is not shared with it', async () => {
    const first = await startServer();
    const { code, output } = await exit([], { PORT: String(first.port) });
    await first.process.kill();
    expect(code).toBe(1);
    expect(output).toContain(`:${first.port}: the address is in use (EADDRINUSE)`);
  });

  it('ends the start with 1 and the reason', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => other.once('listening', listening));
    const { port } = other.address() as { port: number };
    const { code, output } = await exit([], { PORT: String(port) });
    other.close();
    expect(code).toBe(1);
    expect(output).toContain(`cannot listen on 127.0.0.1:${port}: the address is in use (EADDRINUSE)`);
  });
});
