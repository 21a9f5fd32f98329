import { scenarios } from '../scenarios/index.js';
import { BOUNDS } from './bounds.js';
import { LIMITS } from './limits.js';

const line = (/** @type {string} */ name, /** @type {string} */ text) => `  ${name.padEnd(28)}${text}`;

/** The text of `--help`, made from the tables the options are checked against. */
export function helpText() {
  const named = scenarios.map(({ name, summary }) => line(name, summary));
  const numbers = Object.entries(BOUNDS).map(([name, { least, most, usual, only, help }]) => {
    const whose = only === undefined ? '' : `${only.join(', ')}: `;
    return line(`--${name}`, `${whose}${help} (${least} to ${most}, usually ${usual})`);
  });
  const limits = Object.entries(LIMITS).map(([name, { help, least, most }]) =>
    line(`--${name}`, `${help} (${least} to ${most})`),
  );
  return [
    'node tools/test/bench <scenario> --url ws://127.0.0.1:6001 --app ID --key KEY --secret SECRET [--pid N | --spawn "command"]',
    'node tools/test/bench http --url http://127.0.0.1:PORT/path [--pid N | --spawn "command"]',
    'node tools/test/bench ai | annotations | history | history-pages | push | storm [--json], which need a build and start what they measure',
    '',
    'Scenarios',
    ...named,
    '',
    'Options',
    line('--url', 'the target; loopback addresses only'),
    line('--app, --key, --secret', 'of an app of the target'),
    line(
      '--dialect',
      'connect, conns, fanout, frames: v1, v2, ably or ably-msgpack; the last two need --secret',
    ),
    line('--pid', 'process of a running target: gives the CPU and memory columns'),
    line('--spawn', 'starts the target, waits until its port answers, stops it at the end'),
    line('--other-port', 'fleet, presence-churn: another node of the target (usually the same one)'),
    line('--single-port', 'fleet: the same service as a single process (usually the same one)'),
    line('--redis-port', 'presence-churn: the store of the target: gives its calls per change'),
    ...numbers,
    line(
      '--time-limit',
      'gives the run up after this many seconds (5 to 14400, usually 900; soak: its load and 300)',
    ),
    line('--json', 'prints one JSON document instead of the table'),
    '',
    'Limits: exit with 3 unless the target keeps them, with 1 when something failed or was lost',
    ...limits,
    '',
  ].join('\n');
}
