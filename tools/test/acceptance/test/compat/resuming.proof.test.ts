import { afterEach, describe, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients } from './ably.js';
import { cutUnderLoad } from './crowd.js';

const kept = openTenant('kept', { history: { enabled: true } });
const fleeting = openTenant('fleeting', { history: { enabled: false } });
const env = {
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  // Ten seconds of the load below.
  CONNECTION_RECOVERY_MAX_BUFFER_SIZE: '1000',
};
const config = { compat: { enabled: true } };

onServer('500 clients of Ably come back', { tenants: [kept, fleeting], config, env }, (node) => {
  describe.each([
    ['with a history', kept],
    ['without a history', fleeting],
  ])('to a channel %s', (_title, tenant) => {
    const clients = new AblyClients(node, tenant);
    afterEach(() => clients.close());

    it(
      'under 100 messages a second, nothing lost or doubled',
      () => cutUnderLoad(clients, { count: 500, messages: 2000, everyMs: 10 }),
      420_000,
    );
  });
});
