import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { TcpExporter } from '../src/index.js';
import { capturedLog, testMetrics } from './fixtures.js';

const exporter = (buffer_size: number) => {
  const { logging, records } = capturedLog();
  const metrics = testMetrics(100_000);
  const options = { host: '127.0.0.1', port: 0, buffer_size };
  return { metrics, records, exporter: new TcpExporter(options, metrics, logging.for('service::ops')) };
};

describe('metrics exporter', () => {
  it('streams every sample once and then only changes', async () => {
    const { metrics, exporter: server } = exporter(1024);
    const connected = metrics.gauge('connected').for({ app_id: 'shop' });
    metrics.gauge('draining').for();
    await server.start();
    const socket = connect(server.port ?? 0, '127.0.0.1');
    const seen: unknown[] = [];
    for await (const line of createInterface({ input: socket })) {
      const { name, value } = JSON.parse(line) as { name: string; value: number };
      seen.push([name, value]);
      if (seen.length === 2) connected.set(5);
      if (seen.length === 3) break;
    }
    socket.destroy();
    await server.close();
    expect(seen).toEqual([
      ['service_connected', 0],
      ['service_draining', 0],
      ['service_connected', 5],
    ]);
  });

  it('drops samples of a client that does not read, and says so', async () => {
    const { metrics, records, exporter: server } = exporter(4);
    const family = metrics.gauge('connected');
    for (let i = 0; i < 40_000; i += 1) family.for({ app_id: `app${i}` });
    await server.start();
    const socket = connect(server.port ?? 0, '127.0.0.1');
    socket.pause();
    await new Promise<void>((done) => {
      const poll = setInterval(() => {
        if (records().length === 0) return;
        clearInterval(poll);
        done();
      }, 50);
    });
    socket.destroy();
    await server.close();
    expect(records()[0]?.fields.message).toBe('metrics exporter client is slow, samples dropped');
  });

  it('is content without its address', async () => {
    const first = exporter(1).exporter;
    await first.start();
    const { logging, records } = capturedLog();
    const options = { host: '127.0.0.1', port: first.port ?? 0, buffer_size: 1 };
    const second = new TcpExporter(options, testMetrics(), logging.for('service::ops'));
    await second.start();
    expect(records()[0]).toMatchObject({ level: 'WARN' });
    await Promise.all([first.close(), second.close()]);
  });
});
