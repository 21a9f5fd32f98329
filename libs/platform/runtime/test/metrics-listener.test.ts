import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RawConnection, rawHttp } from '@carillon/testing';
import { MetricsListener } from '../src/index.js';
import { capturedLog, testMetrics } from './fixtures.js';

const listeners: MetricsListener[] = [];

function listener(port = 0): {
  listener: MetricsListener;
  records: ReturnType<typeof capturedLog>['records'];
} {
  const { logging, records } = capturedLog();
  const metrics = testMetrics();
  metrics.gauge('draining').for().set(1);
  const created = new MetricsListener({ host: '127.0.0.1', port }, metrics, logging.for('service::ops'));
  listeners.push(created);
  return { listener: created, records };
}

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(listeners.splice(0).map((one) => one.close()));
});

describe('metrics listener', () => {
  it('answers GET /metrics with the exact content type, and HEAD without a body', async () => {
    const { listener: metrics } = listener();
    await metrics.start();
    const url = `http://127.0.0.1:${metrics.port}/metrics`;
    const got = await fetch(url);
    expect(got.status).toBe(200);
    expect(got.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await got.text();
    expect(text).toContain('service_draining 1');
    const head = await fetch(`${url}?x=1`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(text.length)]);
    expect(await head.text()).toBe('');
  });

  it('answers anything else with 404', async () => {
    const { listener: metrics } = listener();
    await metrics.start();
    const base = `http://127.0.0.1:${metrics.port}`;
    const answers = [
      fetch(`${base}/`),
      fetch(`${base}/metrics/x`),
      fetch(`${base}/metrics`, { method: 'POST' }),
    ];
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it('shares a running scrape', async () => {
    const { logging } = capturedLog();
    const metrics = testMetrics();
    let rounds = 0;
    metrics.onScrape(async () => {
      rounds += 1;
      await new Promise((done) => setTimeout(done, 50));
    });
    const server = new MetricsListener({ host: '127.0.0.1', port: 0 }, metrics, logging.for('x'));
    listeners.push(server);
    await server.start();
    const url = `http://127.0.0.1:${server.port}/metrics`;
    const answers = await Promise.all([fetch(url), fetch(url), fetch(url)]);
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(rounds).toBeLessThan(3);
  });

  it('answers while silent connections fill it, and ends each of them by itself', async () => {
    const { listener: metrics } = listener();
    await metrics.start();
    const port = metrics.port ?? 0;
    const silent = await Promise.all(Array.from({ length: 70 }, () => RawConnection.open(port)));
    for (const one of silent.slice(0, 6)) await one.untilEnd();
    const ended = silent.map((one) => one.ended);
    expect(ended.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => true));
    expect(ended.slice(6)).not.toContain(true);
    const answer = await rawHttp(port, { path: '/metrics' });
    expect(answer.status).toBe(200);
    expect(await silent[6]?.untilEnd()).toBe(true);
    for (const one of silent) one.destroy();
  });

  it('goes on without its address and takes it 10 s later', async () => {
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
    const { port } = taken.address() as AddressInfo;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { listener: metrics, records } = listener(port);
    await metrics.start();
    expect(metrics.port).toBeNull();
    expect(records()[0]).toMatchObject({ level: 'ERROR', fields: { port } });
    await new Promise<void>((done) => taken.close(() => done()));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(metrics.port).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    await vi.waitFor(() => expect(metrics.port).toBe(port));
  });
});
