// `node tools/test/bench history-pages`: what a page of a long history costs, at its ends and in the middle.
import { HistoryReader } from '@carillon/history-reader';
import { parseArgs } from 'node:util';
import { BenchError } from '../../settings/bench-error.js';
import { APP_ID } from '../history/records.js';
import { openSetting } from '../history/setting.js';
import { Watched } from './buffers.js';
import { fill } from './fill.js';
import { CHANNEL } from './records.js';
import { told } from './told.js';
import { walk } from './walk.js';
import { Publisher, startPurge } from './writing.js';

const HELP = `node tools/test/bench history-pages [options]

Fills one channel of a PostgreSQL of its own and pages through all of it, the oldest first and then the newest first,
while lanes write to the same channel and the purge keeps it at its cap. Needs a build. Ends with 3 when a page costs
1.5 times the first one or more, and with 1 when a row is missing, comes twice or is not as it was written.

  --records          of the channel, which is also its cap (10000 to 5000000, usually 1000000)
  --page             records of a page (10 to 100, usually 100)
  --rate             records a second that are written meanwhile (0 to 5000, usually 1000)
  --payload-bytes    of a record (32 to 10000, usually 300)
  --plans            prints the costliest statement of the costliest page that was watched
  --json             prints one JSON document instead of the table
`;

const BOUNDS = /** @type {const} */ ({
  records: [10_000, 5_000_000, 1_000_000],
  page: [10, 100, 100],
  rate: [0, 5000, 1000],
  'payload-bytes': [32, 10_000, 300],
});

/** @param {string[]} args */
function optionsOf(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const { values } = parseArgs({
    args,
    options: {
      records: text,
      page: text,
      rate: text,
      'payload-bytes': text,
      plans: flag,
      json: flag,
      help: flag,
    },
  });
  const number = (/** @type {keyof typeof BOUNDS} */ name) => {
    const [least, most, usual] = BOUNDS[name];
    const value = Number(values[name] ?? usual);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new BenchError(`--${name} takes a whole number from ${least} to ${most}`);
    return value;
  };
  return {
    records: number('records'),
    page: number('page'),
    perSecond: number('rate'),
    payloadBytes: number('payload-bytes'),
    plans: values.plans,
    json: values.json,
    help: values.help,
  };
}

/** As before every page but the first, something has come and something has gone since the read before. */
const PAUSE_MS = 10;
/** So long the lanes write before anything is measured. */
const WARM_UP_MS = 1000;

const pause = (/** @type {number} */ ms) => new Promise((later) => setTimeout(later, ms));

/** The ends of a walk are those of the history. @param {HistoryReader} reader */
async function edges(reader) {
  const { retained } = await reader.state(APP_ID, CHANNEL);
  await pause(PAUSE_MS);
  return { oldest: retained.oldest_available_serial ?? 0, newest: retained.newest_available_serial ?? 0 };
}

/** @param {boolean} holds @param {string} what */
function must(holds, what) {
  if (!holds) throw new BenchError(what);
}

/** @type {import('@carillon/history-reader').Faults} */
const WHOLE = { isExplained: () => false, rulingOn: async () => 'unknown' };

/** @param {string[]} args @param {(line: string) => void} progress @returns {Promise<boolean>} whether it is as promised */
export async function benchHistoryPages(args, progress) {
  const { records, page: limit, perSecond, payloadBytes, plans, json, help } = optionsOf(args);
  if (help) {
    process.stdout.write(HELP);
    return true;
  }
  const setting = await openSetting();
  try {
    const begunMs = performance.now();
    await fill(setting, records, payloadBytes);
    progress(`${records} records in ${((performance.now() - begunMs) / 1000).toFixed(0)} s`);
    const watched = new Watched(setting.reads);
    const reader = new HistoryReader(
      { store: setting.storeOver(watched.database), now: Date.now, faults: WHOLE },
      { timeoutMs: setting.config.history.postgres.write_timeout_ms, source: 'durable_store' },
    );
    const publisher = new Publisher(setting, { perSecond, payloadBytes, maxMessages: records });
    publisher.start();
    const purge = startPurge(setting);
    const parts = { reader, watched, written: publisher.written, filled: records, payloadBytes, limit };
    await pause(WARM_UP_MS);
    progress('the oldest first');
    const before = await edges(reader);
    const oldestFirst = await walk(parts, 'oldest_first');
    must(oldestFirst.first >= before.oldest, 'a walk began with what was gone');
    must(oldestFirst.last >= before.newest, 'a walk ended before the newest record');
    progress('the newest first');
    const middle = await edges(reader);
    const newestFirst = await walk(parts, 'newest_first');
    const after = await edges(reader);
    must(newestFirst.first >= middle.newest, 'a walk began behind the newest record');
    must(newestFirst.last <= after.oldest, 'a walk ended before the oldest record');
    await publisher.stop();
    await purge.stop();
    for (const { checkEarly } of [oldestFirst, newestFirst]) checkEarly();
    if (plans) process.stderr.write(`${JSON.stringify(watched.costliest, null, 1)}\n`);
    return told(
      { oldest_first: oldestFirst, newest_first: newestFirst },
      { written: publisher.written.size, purged: purge.counted.removed },
      json,
    );
  } finally {
    await setting.close();
  }
}
