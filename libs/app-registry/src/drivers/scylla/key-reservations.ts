import { randomUUID } from 'node:crypto';
import type { ScyllaSession } from '@carillon/scylla';
import { AppConflict, AppStoreUnavailable } from '../../failures.js';

/**
 * A reservation of an app that does not have the key may belong to a write in progress until it is this old by the clock
 * of the servers. Far longer than a write is allowed to take from its reservation on.
 */
export const RESERVATION_MS = 30_000;

const MAX_ATTEMPTS = 10;

interface Reservation {
  readonly appId: string;
  /** Changes with every reservation of the key. */
  readonly id: string;
  readonly ageMs: number;
}

/** Reads of apps for reservations, with serial consistency. */
export interface KeyHolders {
  /** Whether the app exists and has this key. */
  readonly hasKey: (appId: string, key: string) => Promise<boolean>;
  /** Apps with this key by the index, whether it is reserved or not. */
  readonly indexed: (key: string) => Promise<readonly string[]>;
}

/**
 * Reserves keys for apps: one row per key, changed by conditional writes. An app and its key are in two partitions,
 * which no conditional write spans, so a key is reserved before the app is written and released after the app no
 * longer uses it. A killed process can leave a reservation without app, which expires.
 */
export class KeyReservations {
  constructor(
    private readonly session: ScyllaSession,
    private readonly table: string,
    private readonly holders: KeyHolders,
    private readonly reservationMs: number,
  ) {}

  /** Reserves the key. @throws AppConflict if another app has it, or reserved it shortly before. */
  async reserve(appId: string, key: string): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await this.#find(key);
      if (found?.appId === appId && (await this.holders.hasKey(appId, key))) return;
      await this.#requireFree(appId, key, found);
      if (await this.#write(appId, key, found)) return;
    }
    throw new AppStoreUnavailable('the key is reserved and released too often by others');
  }

  /** Releases the key unless another app has reserved it meanwhile. */
  async release(appId: string, key: string): Promise<void> {
    const found = await this.#find(key);
    if (found?.appId !== appId) return;
    const query = `DELETE FROM ${this.table} WHERE "key" = ? IF reservation = ?`;
    await this.session.applyIf([{ query, params: [key, found.id] }]);
  }

  /** The app that reserved the key; null if none did. */
  async appOf(key: string): Promise<string | null> {
    const query = `SELECT app_id FROM ${this.table} WHERE "key" = ?`;
    const [row] = (await this.session.read({ query, params: [key] })).rows;
    return row === undefined ? null : String(row['app_id']);
  }

  async #requireFree(appId: string, key: string, found: Reservation | null): Promise<void> {
    const others = (await this.holders.indexed(key)).filter((id) => id !== appId);
    for (const other of others) {
      if (await this.holders.hasKey(other, key)) throw new AppConflict(appId, 'key');
    }
    if (found === null || found.appId === appId) return;
    const isHeld = found.ageMs < this.reservationMs || (await this.holders.hasKey(found.appId, key));
    if (isHeld) throw new AppConflict(appId, 'key');
  }

  async #write(appId: string, key: string, found: Reservation | null): Promise<boolean> {
    const values = [appId, randomUUID()];
    const insert = `INSERT INTO ${this.table} (app_id, reservation, "key") VALUES (?, ?, ?) IF NOT EXISTS`;
    if (found === null) return this.session.applyIf([{ query: insert, params: [...values, key] }]);
    const update = `UPDATE ${this.table} SET app_id = ?, reservation = ? WHERE "key" = ? IF reservation = ?`;
    return this.session.applyIf([{ query: update, params: [...values, key, found.id] }]);
  }

  async #find(key: string): Promise<Reservation | null> {
    const query = `SELECT app_id, reservation, WRITETIME(reservation) AS written, toUnixTimestamp(now()) AS asked
      FROM ${this.table} WHERE "key" = ?`;
    const [row] = (await this.session.read({ query, params: [key] }, { isSerial: true })).rows;
    if (row === undefined) return null;
    const ageMs = Number(row['asked']) - Number((row['written'] as bigint) / 1000n);
    return { appId: String(row['app_id']), id: String(row['reservation']), ageMs };
  }
}
