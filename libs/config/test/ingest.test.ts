import { describe, expect, it } from 'vitest';
import { configured, problems, runs } from './harness.js';

const SHARED = { mode: 'production', adapter: { driver: 'redis' }, cache: { driver: 'redis' } };
const ORDERS = { name: 'orders', type: 'postgres', app: 'shop', url: 'postgres://reader:s3cr3t@db/shop' };
const withSources = (...sources: readonly object[]) => ({ ...SHARED, ingest: { sources } });

describe('ingest settings', () => {
  it('have the defaults of the reference', () => {
    const { config } = runs({ process: 'ingest', json: withSources(ORDERS) });
    expect(config.server_role).toBe('api');
    expect(config.ingest.sources).toMatchObject([
      {
        enabled: true,
        apps: [],
        batch_size: 500,
        max_in_flight: 1000,
        idempotency_ttl_seconds: 3600,
        schema: 'carillon',
        session_timeout_ms: 5000,
        max_ahead: 10_000,
      },
    ]);
  });

  it('come from INGEST_SOURCES_JSON, and addresses from INGEST_<NAME>_URL', () => {
    const { url, ...rest } = ORDERS;
    const env = {
      INGEST_SOURCES_JSON: JSON.stringify([{ ...rest, name: 'my-orders' }]),
      INGEST_MY_ORDERS_URL: url,
    };
    const { config } = runs({ process: 'ingest', json: withSources(ORDERS, ORDERS), env });
    expect(config.ingest.sources.map(({ name, url: given }) => [name, given?.reveal()])).toEqual([
      ['my-orders', url],
    ]);
    const bad = { INGEST_SOURCES_JSON: '{"s3cr3t":' };
    expect(problems({ process: 'ingest', json: SHARED, env: bad })).toContain(
      'INGEST_SOURCES_JSON: not a JSON array',
    );
  });

  it('never print an address', () => {
    const outcome = configured({ process: 'ingest', json: withSources(ORDERS), argv: ['--print-config'] });
    expect(outcome).toMatchObject({ kind: 'exit', code: 0 });
    expect(JSON.stringify(outcome)).not.toContain('s3cr3t');
  });

  it('name each invalid setting', () => {
    const kafka = { name: 'events', type: 'kafka', app: 'shop' };
    const found = problems({
      process: 'ingest',
      json: withSources(
        { ...ORDERS, name: 'Orders', app: '', schema: 'a"b' },
        { ...ORDERS, batch_size: 0, idempotency_ttl_seconds: 59 },
        { name: 'orders', type: 'redis', app: 'shop', on_bad: 'drop', format: 'template' },
        kafka,
      ),
    });
    for (const problem of [
      'ingest.sources[0].name: must match [a-z][a-z0-9-]{0,31}',
      'ingest.sources[0].app: must not be empty',
      'ingest.sources[0].schema: invalid identifier "a"b"',
      'ingest.sources: duplicate source name "orders"',
      'ingest.sources[2].url: must not be empty',
      'ingest.sources[2].stream: must not be empty',
      'ingest.sources[2].map.channel: must not be empty',
      'ingest.sources[3].brokers: must not be empty',
      'ingest.sources[3].dead_letter.topic: required when on_bad is not drop',
    ])
      expect(found).toContain(problem);
    expect(found.some((one) => one.startsWith('ingest.sources[1].batch_size'))).toBe(true);
    expect(found.some((one) => one.startsWith('ingest.sources[1].idempotency_ttl_seconds'))).toBe(true);
  });

  it('need a source and a horizontal adapter in the ingest process only', () => {
    const local = { mode: 'production' };
    expect(problems({ process: 'ingest', json: local })).toEqual(
      expect.arrayContaining(['ingest.sources: must not be empty', 'ingest requires a horizontal adapter']),
    );
    expect(runs({ process: 'server', json: local }).config.ingest.sources).toEqual([]);
  });
});
