import { fileURLToPath } from 'node:url';
import { freePort, rawHttp, type SpawnedNode, spawnNode } from '@carillon/testing';
import { describe, expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('told-process.js', import.meta.url));

async function told(env: Record<string, string> = {}): Promise<{ process: SpawnedNode; port: number }> {
  const port = await freePort();
  const process = spawnNode(PROGRAM, [], {
    ENVIRONMENT: 'test',
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_ENABLED: 'false',
    SHUTDOWN_GRACE_PERIOD: '0',
    ...env,
  });
  return { process, port };
}

async function listening(process: SpawnedNode, port: number): Promise<void> {
  await process.says(/starting process/);
  for (;;) {
    const answer = await rawHttp(port, { path: '/live' }).catch(() => null);
    if (answer !== null) return;
    if (!process.isRunning) throw new Error(process.output);
  }
}

describe('a process that starts', () => {
  it('answers probes and nothing else until what it needs is there', async () => {
    const { process, port } = await told();
    await listening(process, port);
    expect(await rawHttp(port, { path: '/live' })).toMatchObject({ status: 200, body: 'OK' });
    const up = await rawHttp(port, { path: '/up' });
    expect([up.status, up.body, up.headers['x-health-check']]).toEqual([503, 'STARTING', 'STARTING']);
    expect(await rawHttp(port, { path: '/accept-traffic' })).toMatchObject({ status: 503, body: 'STARTING' });
    const early = await rawHttp(port, { path: '/slow' });
    expect([early.status, early.headers['retry-after']]).toEqual([503, '1']);
    process.tell('connect');
    await process.says(/ ready /);
    expect(await rawHttp(port, { path: '/nothing' })).toMatchObject({ status: 404 });
    await process.kill();
  });

  it('exits with 1 naming the part it could not reach, without its credentials', async () => {
    const { process } = await told({ UNREACHABLE: 'true', STARTUP_TIMEOUT_MS: '700' });
    const code = await new Promise((done) => process.child.once('close', done));
    expect(code).toBe(1);
    expect(process.output).toContain('told store');
    expect(process.output).toContain('not connected within 700 ms');
    expect(process.output).not.toContain('hush');
  });

  it('ends in order when it is told to stop meanwhile', async () => {
    const { process, port } = await told();
    await listening(process, port);
    expect(await process.kill('SIGTERM')).toBe(0);
    expect(process.output).not.toContain('start failed');
  });
});

describe('a process that stops', () => {
  it('finishes the requests it has begun, and refuses new ones while probes go on', async () => {
    const { process, port } = await told();
    process.tell('connect');
    await process.says(/ ready /);
    const slow = rawHttp(port, { path: '/slow' });
    await process.says(/slow request begun/);
    const stopped = process.kill('SIGTERM');
    await process.says(/stopping/);
    for (;;) {
      const refused = await rawHttp(port, { path: '/slow/er' });
      if (refused.status === 404) continue;
      expect([refused.status, refused.headers['connection']]).toEqual([503, 'close']);
      break;
    }
    expect(await rawHttp(port, { path: '/live' })).toMatchObject({ status: 200 });
    expect(await rawHttp(port, { path: '/up' })).toMatchObject({ status: 503, body: 'DRAINING' });
    process.tell('answer');
    expect(await slow).toMatchObject({ status: 200, body: '{"late":true}' });
    expect(await stopped).toBe(0);
  });
});
