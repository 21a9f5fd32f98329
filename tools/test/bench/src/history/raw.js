// What the same rows cost without anything that makes them right: the measure of everything above it.
import { randomUUID } from 'node:crypto';
import { APP_ID, channelsOf, messageOf } from './records.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Far above the serials of the lanes, so that both write to the same streams. */
const FIRST_SERIAL = 1e12;

/** @typedef {import('@carillon/database').SqlScalar} Scalar */
/** @typedef {readonly (readonly [name: string, type: string, from: (row: Row) => Scalar, stored?: string])[]} Columns */
/**
 * @typedef {object} Row
 * @property {string} streamKey
 * @property {number} serial
 * @property {number} atMs
 * @property {string} id
 * @property {string} payload
 */

/** @type {Columns} */
const RECORD = [
  ['stream_key', 'bigint', ({ streamKey }) => streamKey],
  ['generation', 'int', () => 1],
  ['delivery_serial', 'bigint', ({ serial }) => serial],
  ['history_serial', 'bigint', ({ serial }) => serial],
  ['published_at_ms', 'bigint', ({ atMs }) => atMs],
  ['history_until_ms', 'bigint', ({ atMs }) => atMs + DAY_MS],
  ['keep_until_ms', 'bigint', ({ atMs }) => atMs + DAY_MS],
  ['keep_day', 'date', ({ atMs }) => new Date(atMs + DAY_MS).toISOString().slice(0, 10)],
  ['action', 'smallint', () => 0],
  ['message_id', 'text', ({ id }) => id],
  ['event_name', 'text', () => 'bench'],
  ['payload', 'text', ({ payload }) => payload, "convert_to(v.payload, 'UTF8')"],
  ['payload_size', 'int', ({ payload }) => payload.length],
];

/** @type {Columns} */
const RECEIPT = [
  ['scope', 'uuid', ({ id }) => id],
  ['slot', 'int', ({ atMs }) => Math.floor(atMs / HOUR_MS)],
  ['at_ms', 'bigint', ({ atMs }) => atMs],
  ['until_ms', 'bigint', ({ atMs }) => atMs + 600_000],
  ['pub_id', 'uuid', ({ id }) => id],
  ['stream_key', 'bigint', ({ streamKey }) => streamKey],
  ['generation', 'int', () => 1],
  ['delivery_serial', 'bigint', ({ serial }) => serial],
];

/** @param {string} table @param {Columns} columns */
function insertion(table, columns) {
  const names = columns.map(([name]) => name).join(', ');
  const values = columns.map(([name, , , stored]) => stored ?? `v.${name}`).join(', ');
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  return `insert into ${table} (${names}) select ${values} from unnest(${arrays}) as v(${names})`;
}

/** @param {Columns} columns @param {readonly Row[]} rows */
const arraysOf = (columns, rows) => columns.map(([, , from]) => rows.map(from));

/** Writes rows as they come, one session and one statement a table, as many as are told at once. */
export class RawWriter {
  /** @type {readonly string[]} */
  #streamKeys = [];
  #serial = FIRST_SERIAL;

  /** @param {import('./setting.js').Setting} setting @param {number} payloadBytes */
  constructor(setting, payloadBytes) {
    this.setting = setting;
    this.payloadBytes = payloadBytes;
    this.records = insertion(setting.table('records'), RECORD);
    this.receipts = insertion(setting.table('receipts'), RECEIPT);
  }

  /** The streams must be there. @param {number} channels */
  async open(channels) {
    const { database, table } = this.setting;
    const { rows } = await database.query(
      `select stream_key from ${table('streams')} where app_id = $1 and channel = any($2::text[])`,
      [APP_ID, channelsOf(channels)],
    );
    this.#streamKeys = rows.map((row) => String(row['stream_key']));
  }

  /** A batch: records and receipts of one transaction. @param {number} count */
  async batch(count) {
    const rows = this.#rows(count);
    await this.setting.database.transaction(async (session) => {
      await session.query(this.records, arraysOf(RECORD, rows));
      await session.query(this.receipts, arraysOf(RECEIPT, rows));
    });
    return count;
  }

  /** One record with a statement of its own, and nothing else. */
  async single() {
    await this.setting.database.query(this.records, arraysOf(RECORD, this.#rows(1)));
    return 1;
  }

  /** @param {number} count @returns {Row[]} */
  #rows(count) {
    const atMs = Date.now();
    return Array.from({ length: count }, () => {
      this.#serial += 1;
      const id = randomUUID();
      const streamKey = this.#streamKeys[this.#serial % this.#streamKeys.length] ?? '';
      return {
        streamKey,
        serial: this.#serial,
        atMs,
        id,
        payload: messageOf('orders', id, this.payloadBytes),
      };
    });
  }
}
