import { onServer } from '../harness/every-app.js';
import { protocol2 } from './everything.js';
import { kept, passing, SETTINGS } from './place.js';

const env = { ...SETTINGS, HISTORY_BACKEND: 'memory' };

onServer('protocol 2 in one process', { tenants: [kept, passing], env }, (node) => {
  protocol2({ gateway: () => node, api: (_live, tenant) => node.api(tenant) });
});
