import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAppRecord, redactedAppRecord, type AppRecord } from '../../src/index.js';
import { rawRecord } from './arbitrary-record.js';

const SECRET = 'QQ-hidden-QQ';

describe('an app record shown to a person', () => {
  it('hides credentials, header values, userinfo and whatever it does not know', () => {
    const { record } = parseAppRecord(
      {
        id: 'shop',
        key: SECRET,
        secret: SECRET,
        vault: SECRET,
        policy: {
          limits: { max_connections: 5, token: SECRET },
          webhooks: [
            {
              url: `https://u:${SECRET}@h/p?q#f`,
              event_types: ['cache_miss'],
              headers: { 'x-auth': SECRET },
            },
            { url: `https:u:${SECRET}@h/`, event_types: ['cache_miss'] },
            { lambda: { function_name: 'f', region: 'eu', token: SECRET }, event_types: ['cache_miss'] },
          ],
        },
      },
      '',
    );
    const shown = redactedAppRecord(record as AppRecord);
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    expect(shown).toMatchObject({ id: 'shop', key: '<redacted>', secret: '<redacted>' });
    expect(shown['policy']).toMatchObject({
      limits: { max_connections: 5 },
      webhooks: [
        { url: 'https://<redacted>@h/p?q#f', headers: { 'x-auth': '<redacted>' } },
        { url: 'https://<redacted>@h/' },
        { lambda: { function_name: 'f', region: 'eu' } },
      ],
    });
  });

  it('never shows the secret, however it is printed', () => {
    fc.assert(
      fc.property(rawRecord, (raw) => {
        const { record } = parseAppRecord({ ...raw, secret: SECRET }, '');
        expect(JSON.stringify(record) + inspect(record, { depth: 20 })).not.toContain(SECRET);
        expect(JSON.stringify(redactedAppRecord(record as AppRecord))).not.toContain(SECRET);
      }),
    );
  });
});
