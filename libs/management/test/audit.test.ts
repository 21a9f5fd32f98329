import { configuration } from '@carillon/testing';
import { createParts } from '@carillon/runtime';
import { describe, expect, it } from 'vitest';
import { AuditLog } from '../src/audit/audit-log.js';
import { auditValue, changesOf } from '../src/audit/changes.js';
import { AuditDraft } from '../src/audit/draft.js';
import type { AuditEntry } from '../src/audit/entry.js';
import { LogAuditStore } from '../src/audit/log-store.js';

const subject = {
  action: 'app.update',
  method: 'PATCH',
  principal: 'ops',
  sessionHash: '3f2a90c1d4e5ffff',
  address: '198.51.100.7',
  requestId: 'r',
} as const;

function auditLog(store = new LogAuditStore()): AuditLog {
  const { logging, metrics } = createParts(configuration({ RUST_LOG: 'off' }));
  return new AuditLog(store, logging.for('service::management'), metrics);
}

const entriesOf = async ({ store }: AuditLog): Promise<readonly AuditEntry[]> =>
  (await store.list({}, null, null, 100)).entries;

describe('AuditLog', () => {
  it('stores a pending entry before the effect and completes it after', async () => {
    const log = auditLog();
    const draft = new AuditDraft('shop');
    const entry = await log.begin(subject, draft);
    expect(await entriesOf(log)).toMatchObject([
      { outcome: 'pending', status: null, session: '3f2a90c1d4e5' },
    ]);
    draft.changed({ enabled: true, policy: { a: 1, b: 2 } }, { enabled: true, policy: { a: 1, b: 3 } });
    await entry.complete(200);
    expect(await entriesOf(log)).toMatchObject([
      { outcome: 'ok', status: 200, before: { policy: { b: 2 } }, after: { policy: { b: 3 } } },
    ]);
  });

  it('refuses the request when the store is unavailable', async () => {
    class Down extends LogAuditStore {
      override async add(): Promise<void> {
        throw new Error('down');
      }
    }
    const log = auditLog(new Down());
    await expect(log.begin(subject, new AuditDraft('shop'))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await log.refused(subject, new AuditDraft('shop'), 403);
  });
});

describe('LogAuditStore', () => {
  it('keeps the newest 1,000 entries and lists each once, newest first', async () => {
    const log = auditLog();
    for (let count = 0; count < 1005; count++)
      await log.refused(subject, new AuditDraft(`app-${count % 2}`), 403);
    const ids = new Set<string>();
    let after = null;
    do {
      const page = await log.store.list({}, null, after, 300);
      for (const { id } of page.entries) ids.add(id);
      after = page.next;
    } while (after !== null);
    expect(ids.size).toBe(1000);
    const own = await log.store.list({}, new Set(['app-1']), null, 1000);
    expect(new Set(own.entries.map(({ app_id }) => app_id))).toEqual(new Set(['app-1']));
  });
});

describe('audit values', () => {
  it('have cut texts without control characters', () => {
    expect(auditValue({ a: 'x'.repeat(300), b: ['l1\r\nl2'] })).toEqual({
      a: 'x'.repeat(256),
      b: ['l1\\u000d\\u000al2'],
    });
  });

  it('hold changed members only', () => {
    expect(changesOf({ a: 1, b: [1], c: { d: 1 } }, { a: 1, b: [2], c: { d: 1 }, e: null })).toEqual({
      before: { b: [1] },
      after: { b: [2], e: null },
    });
  });
});
