import { ServiceError } from '@carillon/errors';
import { parseConnectOptions } from '@carillon/protocol';
import { must } from '../broken.js';
import { expectedOptions } from '../restate/connect-query.js';
import { sameJson } from '../restate/json.js';
import { words } from '../words.js';

const RULES = [
  { echoControlEnabled: true, defaultEchoMessages: true, minRollupWindowMs: 0, maxRollupWindowMs: 500 },
  { echoControlEnabled: true, defaultEchoMessages: false, minRollupWindowMs: 40, maxRollupWindowMs: 100 },
  { echoControlEnabled: false, defaultEchoMessages: false, minRollupWindowMs: 0, maxRollupWindowMs: 500 },
];

/** @type {import('../target.js').Target} */
export const connectQuery = {
  name: 'connect-query',
  tokens: words(`
    protocol= client= version= format= echo_messages= append_mode= append_rollup_window=
    token= messagepack msgpack protobuf proto json true false delta full 2 7 255 256
    &protocol=2 & = + %20 40 100 %32 flash=false
  `),
  outcomes: [
    'protocol 1',
    'protocol 1 with token',
    'protocol 2 json delta',
    'protocol 2 messagepack full',
    'refused: protocol',
    'refused: format',
    'refused: echo_messages',
    'refused: append_mode',
    'refused: append_rollup_window',
  ],
  growths: [
    { name: 'parameters', before: 'protocol=7', piece: '&a=1' },
    { name: 'protocols', piece: 'protocol=7&', after: 'protocol=2' },
    { name: 'digits', before: 'protocol=', piece: '1' },
    { name: 'spaces', before: 'protocol=2&format=', piece: '+', after: 'json' },
    { name: 'percents', before: 'client=', piece: '%' },
    { name: 'client', before: 'protocol=2&client=', piece: '%C3%A4' },
  ],
  check(bytes) {
    const query = bytes.toString('utf8');
    const [outcome = ''] = RULES.map((rules) => {
      const expected = expectedOptions(query, rules);
      const found = optionsOf(query, rules);
      must(
        sameJson(found, expected),
        `options are ${JSON.stringify(expected)}, not ${JSON.stringify(found)}`,
      );
      return outcomeOf(found);
    });
    return outcome;
  },
  reach(bytes) {
    for (const rules of RULES) optionsOf(bytes.toString('utf8'), rules);
  },
};

/** @param {ReturnType<typeof optionsOf>} found */
function outcomeOf(found) {
  if (typeof found === 'string') return `refused: ${found}`;
  if (found.protocol === 1) return `protocol 1${found.bringsToken ? ' with token' : ''}`;
  return `protocol 2 ${found.format} ${found.appendMode}`;
}

/** The options, or the parameter that is refused. @param {string} query @param {import('@carillon/protocol').ConnectRules} rules */
function optionsOf(query, rules) {
  try {
    return parseConnectOptions(query, rules);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    must(error.code === 'invalid_input' && error.status === 400, 'a wrong parameter is invalid input');
    must(error.message.length < 100, 'the message does not repeat what was sent');
    return error.message.split(' ')[0] ?? '';
  }
}
