import { onServer } from '../harness/every-app.js';
import { protocol2 } from './everything.js';
import { SETTINGS, TENANTS } from './place.js';

const env = { ...SETTINGS, HISTORY_BACKEND: 'memory' };

onServer('protocol 2 in one process', { tenants: TENANTS, env }, (node) => {
  protocol2({ gateway: () => node, api: (_live, tenant) => node.api(tenant) });
});
