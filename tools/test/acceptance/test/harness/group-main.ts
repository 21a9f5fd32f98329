// Two gateways and an api node in one process, joined as processes of an installation are by a broker. Only this
// composition exists for tests: an api node on its own refuses the local adapter, so its role is set here.
import { api } from '@carillon/app-api';
import { gateway } from '@carillon/app-gateway';
import { configure } from '@carillon/config';
import { createParts, start } from '@carillon/runtime';
import { Group } from './joined.js';

const outcome = configure({
  process: 'gateway',
  drivers: gateway.drivers,
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
});
if (outcome.kind === 'exit') throw new Error(outcome.stderr);
const { config } = outcome;
const group = new Group();
const members = [
  { app: group.member('gateway-1', gateway), config },
  { app: group.member('gateway-2', gateway), config },
  { app: group.member('api-1', api), config: { ...config, server_role: 'api' as const } },
];

// Each app ends its process once it has stopped; this one ends when all have.
const codes: number[] = [];
const exit = process.exit.bind(process);
process.exit = ((code?: number) => {
  codes.push(code ?? 0);
  if (codes.length === members.length) exit(Math.max(...codes));
}) as typeof process.exit;
process.on('unhandledRejection', (error) => {
  process.stderr.write(`${String(error)}\n`);
  exit(1);
});
// One after another, so that the log tells their addresses in this order.
for (const { app, config: own } of members) await start(createParts(own), app, 'test');
