import { runIngestCommand } from '@carillon/ingest-core';
import { bootstrap } from '@carillon/runtime';
import { ingest } from './app.js';

const { argv, env } = process;
const command = await runIngestCommand(argv.slice(2), env, process.cwd());
if (command === null) await bootstrap(ingest);
else {
  process.stdout.write(command.stdout);
  process.stderr.write(command.stderr);
  process.exitCode = command.code;
}
