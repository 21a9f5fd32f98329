import { ensureBuilt, ensureInstalled } from './ensure.js';

await ensureInstalled();
await ensureBuilt();
