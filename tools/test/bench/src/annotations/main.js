// `node tools/test/bench annotations`: what one more annotation costs when so many clients have annotated the message already.
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { BenchError } from '../../settings/bench-error.js';
import { openSetting } from '../history/setting.js';

const APP = 'bench';
const CHANNEL = 'annotated';
/** On their way at one time while clients annotate, and where many are measured. */
const TOGETHER = 50;
/** As the payloads of most apps. */
const MAX_FRAME_BYTES = 10_240;
const POLICY = {
  history_ms: 86_400_000,
  versions_ms: null,
  max_messages: null,
  max_bytes: null,
  versioned: true,
  cache: false,
  ai: null,
};

/** @typedef {import('@carillon/contracts').CommitRecord} CommitRecord */
/** @typedef {import('../history/setting.js').Setting} Setting */

const base = () =>
  /** @type {const} */ ({
    pub_id: randomUUID(),
    app_id: APP,
    channel: CHANNEL,
    policy: POLICY,
  });

/** @param {Setting} setting @param {CommitRecord} record */
async function applied({ client }, record) {
  const [result] = await client.commit([record]);
  if (result?.status !== 'applied')
    throw new BenchError(`a record was ${result?.status} ${result?.code ?? ''}`);
  return result;
}

/** @param {Setting} setting @returns {Promise<string>} */
async function created(setting) {
  const message_id = randomUUID();
  const message = JSON.stringify({ event: 'note', channel: CHANNEL, data: 'x', message_id });
  const { message_serial: serial } = await applied(setting, { ...base(), op: 'create', message_id, message });
  return serial ?? '';
}

/** @param {string} type @param {string} message_serial @param {string} client_id @param {string} [name] @returns {CommitRecord} */
const annotationOf = (type, message_serial, client_id, name = 'like') => ({
  ...base(),
  op: 'annotate',
  message_serial,
  type,
  name,
  client_id,
  max_frame_bytes: MAX_FRAME_BYTES,
});

/** One more client, and taken back again, so that there are always as many. @param {Setting} setting @param {string} type @param {string} serial @param {string} client */
async function madeAndTaken(setting, type, serial, client) {
  const { annotation_serial } = await applied(setting, annotationOf(type, serial, client));
  await applied(setting, {
    ...base(),
    op: 'unannotate',
    actor: { grant: 'any' },
    message_serial: serial,
    annotation_serial: annotation_serial ?? '',
    max_frame_bytes: MAX_FRAME_BYTES,
  });
}

/** @param {Setting} setting @param {string} type @param {string} serial @param {number} clients @param {number} names */
async function fill(setting, type, serial, clients, names) {
  let next = 0;
  const one = async () => {
    for (; next < clients;) {
      next += 1;
      const client = `client-${String(next * 7919).padStart(10, '0')}`;
      await applied(
        setting,
        annotationOf(type, serial, client, names === 1 ? 'like' : `name-${next % names}`),
      );
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, one));
}

/** One annotation of each of so many other types. @param {Setting} setting @param {string} serial @param {number} types */
async function addTypes(setting, serial, types) {
  for (let type = 1; type < types; type += 1)
    await applied(setting, annotationOf(`other-${type}:flag.v1`, serial, 'client'));
}

/** @param {Setting} setting @returns {Promise<bigint>} */
async function walOf({ database }) {
  const { rows } = await database.query(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as at",
  );
  return BigInt(/** @type {string} */ (rows[0]?.['at']));
}

/** @param {Setting} setting @param {string} type @param {string} serial @param {number} together @param {number} forMs */
async function measured(setting, type, serial, together, forMs) {
  const walBefore = await walOf(setting);
  const cpuBefore = process.cpuUsage();
  const begunMs = performance.now();
  let count = 0;
  const one = async (/** @type {number} */ index) => {
    for (let turn = 0; performance.now() < begunMs + forMs; turn += 1) {
      await madeAndTaken(setting, type, serial, `more-${index}-${turn}`);
      count += 2;
    }
  };
  await Promise.all(Array.from({ length: together }, (_, index) => one(index)));
  const tookMs = performance.now() - begunMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    together,
    per_second: (count * 1000) / tookMs,
    cpu_us: (user + system) / count,
    wal_bytes: Number((await walOf(setting)) - walBefore) / count,
  };
}

/** @param {string[]} args @param {(line: string) => void} progress @returns {Promise<boolean>} */
export async function benchAnnotations(args, progress) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({
    args,
    options: { clients: text, method: text, names: text, types: text, seconds: text, rounds: text },
  });
  const sizes = (values.clients ?? '1,100,1000,10000').split(',').map(Number);
  const [seconds, rounds] = [Number(values.seconds ?? 2), Number(values.rounds ?? 3)];
  const [names, types] = [Number(values.names ?? 1), Number(values.types ?? 1)];
  const bounded = [...sizes, names, types, seconds, rounds].every(
    (value) => Number.isInteger(value) && value >= 1 && value <= 60_000,
  );
  if (!bounded)
    throw new BenchError(
      '--clients, --names, --types, --seconds and --rounds take whole numbers from 1 to 60000',
    );
  const type = `bench:${values.method ?? 'flag'}.v1`;
  const setting = await openSetting();
  try {
    for (const clients of sizes) {
      progress(`${clients} clients`);
      const serial = await created(setting);
      await addTypes(setting, serial, types);
      await fill(setting, type, serial, clients, names);
      await setting.database.query('checkpoint');
      for (const together of [1, TOGETHER]) {
        await measured(setting, type, serial, together, 300);
        const all = [];
        for (let round = 0; round < rounds; round += 1)
          all.push(await measured(setting, type, serial, together, seconds * 1000));
        process.stdout.write(`${told(clients, all)}\n`);
      }
    }
    return true;
  } finally {
    await setting.close();
  }
}

/** @param {number} clients @param {Awaited<ReturnType<typeof measured>>[]} all */
function told(clients, all) {
  const median = (/** @type {'per_second' | 'cpu_us' | 'wal_bytes'} */ key) =>
    all.map((one) => one[key]).toSorted((first, second) => first - second)[Math.floor(all.length / 2)] ?? 0;
  const least = Math.min(...all.map((one) => one.cpu_us));
  return [
    `${String(clients).padStart(6)} clients, ${String(all[0]?.together).padStart(2)} at a time:`,
    `${median('per_second').toFixed(0).padStart(6)} a second,`,
    `${median('cpu_us').toFixed(0).padStart(6)} µs of CPU each (least ${least.toFixed(0)}),`,
    `${median('wal_bytes').toFixed(0).padStart(7)} bytes of WAL each`,
  ].join(' ');
}
