// `npm run simulate`: the deterministic simulator (tools/test/simulator), compiled first if it has to be.
import { ensureBuilt, ensureInstalled } from './ensure.js';

await ensureInstalled();
await ensureBuilt();
const { main } = await import('@carillon/simulator');
process.exitCode = await main(process.argv.slice(2));
