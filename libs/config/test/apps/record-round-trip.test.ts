import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepUnknownMembers, parseAppRecord, serializeAppRecord, type AppRecord } from '../../src/index.js';
import { rawRecord } from './arbitrary-record.js';

function parsed(raw: unknown): AppRecord {
  const { record, problems } = parseAppRecord(raw, 'app');
  expect(problems).toEqual([]);
  return record as AppRecord;
}

const throughJson = (record: AppRecord): AppRecord =>
  parsed(JSON.parse(JSON.stringify(serializeAppRecord(record))));

describe('a stored app record', () => {
  it('reads back as it was written, unknown members included', () => {
    fc.assert(
      fc.property(rawRecord, (raw) => {
        const record = parsed(raw);
        const again = throughJson(record);
        expect(again).toEqual(record);
        expect(again.secret.reveal()).toBe(record.secret.reveal());
        expect(serializeAppRecord(again)).toEqual(serializeAppRecord(record));
      }),
    );
  });

  it('is frozen at every depth that this version knows', () => {
    const record = parsed({
      id: 'a',
      key: 'k',
      secret: 's',
      policy: {
        webhooks: [{ url: 'http://h', event_types: ['x'] }],
        channels: { channel_namespaces: [{ name: 'n' }] },
      },
    });
    const { policy } = record;
    const parts = [
      record,
      policy,
      policy.limits,
      policy.channels,
      policy.channels.channel_namespaces[0],
      policy.webhooks,
    ];
    expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
  });

  it('keeps what only the stored record knows when it is updated', () => {
    const stored = parsed({
      id: 'a',
      key: 'k',
      secret: 's',
      region: 'eu',
      policy: { limits: { max_rooms: 7, max_connections: 1 }, history: { tier: 'cold' } },
    });
    const next = parsed({ id: 'a', key: 'k2', secret: 's2', region: 'us', policy: { limits: { x: 1 } } });
    const kept = serializeAppRecord(keepUnknownMembers(next, stored));
    expect(kept).toMatchObject({ key: 'k2', secret: 's2', region: 'us' });
    expect(kept['policy']).toMatchObject({ limits: { max_rooms: 7, max_connections: 0, x: 1 } });
    expect(kept['policy']).not.toHaveProperty('history');
  });

  it('changes nothing when the stored record knows nothing more', () => {
    fc.assert(
      fc.property(rawRecord, (raw) => {
        const record = parsed(raw);
        expect(keepUnknownMembers(record, record)).toEqual(record);
      }),
    );
  });
});
