import { main } from './run/command.js';

process.exitCode = await main(process.argv.slice(2));
