import { describe, expect, it } from 'vitest';
import { startServer } from './running-server.js';

describe('a stop', () => {
  it('lets probes see it first, then ends with 0', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_PERIOD: '3', DRAIN_DELAY_MS: '1500' });
    const stopped = server.process.kill('SIGTERM');
    await server.process.says(/"message":"stopping"/);
    expect(await server.request('/live')).toMatchObject({ status: 200, body: 'OK' });
    expect(await server.request('/accept-traffic')).toMatchObject({ status: 503, body: 'DRAINING' });
    const up = await server.request('/up');
    expect([up.status, up.body, up.headers['x-health-check']]).toEqual([503, 'DRAINING', 'DRAINING']);
    expect((await server.request('/usage')).status).toBe(200);
    expect(await stopped).toBe(0);
  });

  it('works for Ctrl-C too', async () => {
    const server = await startServer();
    expect(await server.process.kill('SIGINT')).toBe(0);
  });

  it('ends at once, with 1, at the second signal', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_PERIOD: '3600', DRAIN_DELAY_MS: '60000' });
    const stopped = server.process.kill('SIGTERM');
    await server.process.says(/"message":"stopping"/);
    server.process.child.kill('SIGTERM');
    expect(await stopped).toBe(1);
  });
});
