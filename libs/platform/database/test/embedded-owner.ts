import { processWith } from './scene.js';

/** A process with an embedded database in that folder, which reports when it serves. */
const { databases } = await processWith({ DATABASE_POSTGRES_EMBEDDED_PATH: process.argv[2] ?? '' });
await databases.embedded({ waiting: 9, statementMs: 5000 }).connect();
process.stdout.write('serving\n');
