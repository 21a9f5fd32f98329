import { addressOf, append, openEmbedded } from './scene.js';

/** A process with an embedded store that has committed something. */
const { store } = await openEmbedded(process.argv[2] ?? '');
await append(store, addressOf('of the owner'), [{}]);
process.stdout.write('committed\n');
