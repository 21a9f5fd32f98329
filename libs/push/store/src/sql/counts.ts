import type { DeviceState } from '../model/resources.js';
import type { CountStore, DeviceCount } from '../port/upkeep.js';
import { SqlPublishes } from './publishes.js';
import { removeDevice } from './resources.js';
import { textOf } from './table.js';
import { DEVICES, QUOTAS, SCHEDULED } from './tables.js';

const MAX_COUNTS = 10_000;

/** And how much there is of it, and devices that are of no more use. */
export class SqlCounts extends SqlPublishes implements CountStore {
  async countDevices(): Promise<readonly DeviceCount[]> {
    const text = `select app_id, state, count(*) as devices from ${DEVICES.name}
      group by app_id, state order by app_id, state limit ${MAX_COUNTS}`;
    const { rows } = await this.sql.now((one) => one.run(text));
    return rows.map((row) => ({
      appId: textOf(row['app_id']),
      state: textOf(row['state']) as DeviceState,
      count: Number(row['devices']),
    }));
  }

  async countJobs(nowMs: number, most: number): Promise<{ due: number; waiting: number }> {
    const which = (comparison: string): string =>
      `select 1 as one from ${SCHEDULED.name} where due_ms ${comparison} ? limit ${most}`;
    return {
      due: await this.count(which('<='), [nowMs]),
      waiting: await this.count(which('>'), [nowMs]),
    };
  }

  async quotaUsed(appId: string, day: string): Promise<number> {
    const text = `select used from ${QUOTAS.name} where app_id = ? and day = ? and provider = ''`;
    const { rows } = await this.sql.now((one) => one.run(text, [appId, day]));
    return Number(rows[0]?.['used'] ?? 0);
  }

  async removeStaleDevices(beforeMs: number, limit: number): Promise<ReadonlyMap<string, number>> {
    const rest = `where state = 'FAILED' and last_active_ms < ? order by last_active_ms limit ${limit}`;
    const rows = await this.sql.now((one) => one.rows(DEVICES, rest, [beforeMs]));
    const gone = new Map<string, number>();
    for (const { appId, deviceId } of rows) {
      const which = "where app_id = ? and device_id = ? and state = 'FAILED' for update";
      const removed = await this.sql.step(async (one) => {
        // It may have registered again since.
        if ((await one.row(DEVICES, which, [appId, deviceId])) === null) return false;
        await removeDevice(one, appId, deviceId);
        return true;
      });
      if (removed) gone.set(appId, (gone.get(appId) ?? 0) + 1);
    }
    return gone;
  }
}
