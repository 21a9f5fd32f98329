import type { SqlScalar } from '@carillon/database';
import type {
  OperatorEvent,
  StoredCredential,
  StoredDevice,
  StoredSubscription,
  StoredTemplate,
  Subscriber,
} from '../model/resources.js';
import type { DeviceFilter, ResourceStore, SubscriptionFilter } from '../port/resources.js';
import { type Change, changeRowsOfKeys, rowsOfKeys } from './keyed.js';
import type { Sql, Statements } from './session.js';
import { type Table, textOf } from './table.js';
import {
  type CredentialRow,
  CREDENTIALS,
  DEVICES,
  OPERATOR_EVENTS,
  SUBSCRIPTIONS,
  TEMPLATES,
} from './tables.js';

const COLUMNS = { clientId: 'client_id', deviceId: 'device_id', channel: 'channel' } as const;

type Filter = Readonly<Partial<Record<keyof typeof COLUMNS, string>>>;

/** Returns the condition of the filter and the app. */
function where(appId: string, filter: Filter, alias = ''): [string, SqlScalar[]] {
  const asked = (['channel', 'deviceId', 'clientId'] as const)
    .map((name) => [COLUMNS[name], filter[name]] as const)
    .filter((pair): pair is readonly [(typeof pair)[0], string] => pair[1] !== undefined);
  const clauses = asked.map(([column]) => ` and ${alias}${column} = ?`).join('');
  return [`${alias}app_id = ?${clauses}`, [appId, ...asked.map(([, value]) => value)]];
}

export class SqlResources implements ResourceStore {
  constructor(protected readonly sql: Sql) {}

  async credential(appId: string, credentialId: string): Promise<StoredCredential | null> {
    return this.#credential('where app_id = ? and credential_id = ?', [appId, credentialId]);
  }

  async latestCredential(appId: string, provider: string): Promise<StoredCredential | null> {
    const rest = 'where app_id = ? and provider = ? order by updated_ms desc limit 1';
    return this.#credential(rest, [appId, provider]);
  }

  async credentials(appId: string, after: string | null, limit: number): Promise<StoredCredential[]> {
    const rest = `where app_id = ? and credential_id > ? order by credential_id limit ${limit}`;
    const rows = await this.sql.now((one) => one.rows(CREDENTIALS, rest, [appId, after ?? '']));
    return rows.map(credentialOf);
  }

  async allCredentials(after: readonly [string, string] | null, limit: number): Promise<StoredCredential[]> {
    const rest = `where (app_id, credential_id) > (?, ?) order by app_id, credential_id limit ${limit}`;
    const rows = await this.sql.now((one) => one.rows(CREDENTIALS, rest, after ?? ['', '']));
    return rows.map(credentialOf);
  }

  async putCredential(
    row: StoredCredential,
    expected: number | null,
    event: OperatorEvent | null,
  ): Promise<boolean> {
    return this.sql.step(async (one) => {
      const rest = 'where app_id = ? and credential_id = ? for update';
      const stored = await one.row(CREDENTIALS, rest, [row.appId, row.credentialId]);
      if ((stored?.version ?? null) !== expected) return false;
      const next = credentialRow(row);
      if (stored !== null) await one.put(CREDENTIALS, next, ['created_ms']);
      // Another process may add it between the read and this write.
      else if ((await one.add(CREDENTIALS, [next])) === 0) return false;
      if (event !== null) await one.add(OPERATOR_EVENTS, [event]);
      return true;
    });
  }

  async template(appId: string, templateId: string): Promise<StoredTemplate | null> {
    const rest = 'where app_id = ? and template_id = ?';
    return this.sql.now((one) => one.row(TEMPLATES, rest, [appId, templateId]));
  }

  async templates(appId: string, after: string | null, limit: number): Promise<StoredTemplate[]> {
    const rest = `where app_id = ? and template_id > ? order by template_id limit ${limit}`;
    return this.sql.now((one) => one.rows(TEMPLATES, rest, [appId, after ?? '']));
  }

  async putTemplate(row: StoredTemplate): Promise<void> {
    await this.sql.now((one) => one.put(TEMPLATES, row, ['created_ms']));
  }

  async removeTemplate(appId: string, templateId: string): Promise<void> {
    const text = `delete from ${TEMPLATES.name} where app_id = ? and template_id = ?`;
    await this.sql.now((one) => one.run(text, [appId, templateId]));
  }

  async device(appId: string, deviceId: string): Promise<StoredDevice | null> {
    const rest = 'where app_id = ? and device_id = ?';
    return this.sql.now((one) => one.row(DEVICES, rest, [appId, deviceId]));
  }

  async devicesOf(appId: string, deviceIds: readonly string[]): Promise<StoredDevice[]> {
    const keys = [...new Set(deviceIds)];
    return this.sql.now((one) => rowsOfKeys(one, DEVICES, { of: [appId], keys }));
  }

  async devices(
    appId: string,
    filter: DeviceFilter,
    after: string | null,
    limit: number,
  ): Promise<StoredDevice[]> {
    const [clause, values] = where(appId, filter);
    const rest = `where ${clause} and device_id > ? order by device_id limit ${limit}`;
    return this.sql.inOrder((one) => one.rows(DEVICES, rest, [...values, after ?? '']));
  }

  async changeDevice(
    appId: string,
    deviceId: string,
    decide: (existing: StoredDevice | null) => StoredDevice | null,
  ): Promise<void> {
    const changed = await this.sql.step((one) => changeDevice(one, appId, deviceId, decide));
    // Another process registered it at the same time: now it can be changed.
    if (!changed) await this.sql.step((one) => changeDevice(one, appId, deviceId, decide));
  }

  async touchDevices(
    appId: string,
    devices: readonly Pick<StoredDevice, 'deviceId' | 'tokenHash'>[],
    { nowMs, beforeMs }: { readonly nowMs: number; readonly beforeMs: number },
  ): Promise<ReadonlySet<string>> {
    const tokens = new Map(devices.map(({ deviceId, tokenHash }) => [deviceId, tokenHash]));
    const keys = { of: [appId], keys: [...tokens.keys()] };
    const wanted = { text: "(kept.last_active_ms < ? or kept.state = 'FAILING')", values: [beforeMs] };
    const found = await this.sql.now((one) => rowsOfKeys(one, DEVICES, keys, wanted));
    const own = found.filter(({ deviceId, tokenHash }) => tokens.get(deviceId) === tokenHash);
    await this.#changeDevices(
      appId,
      own.filter((device) => !isFailing(device)),
      {
        set: 'last_active_ms = ?',
        values: [nowMs],
        when: { text: 'kept.last_active_ms < ?', values: [beforeMs] },
      },
    );
    return this.#changeDevices(appId, own.filter(isFailing), {
      set: "state = 'ACTIVE', failure_count = 0, error_reason = null, last_active_ms = ?",
      values: [nowMs],
      when: { text: "kept.state = 'FAILING'", values: [] },
    });
  }

  async #changeDevices(
    appId: string,
    devices: readonly StoredDevice[],
    change: Change,
  ): Promise<ReadonlySet<string>> {
    if (devices.length === 0) return new Set();
    const keys = devices.map(({ deviceId }) => deviceId);
    return this.sql.changed((one) =>
      changeRowsOfKeys(one, DEVICES as unknown as Table<never>, { of: [appId], keys }, change),
    );
  }

  async removeDevices(appId: string, filter: DeviceFilter): Promise<number> {
    const [clause, values] = where(appId, filter);
    return this.sql.step(async (one) => {
      const rows = await one.rows(DEVICES, `where ${clause} order by device_id for update`, values);
      for (const { deviceId } of rows) await removeDevice(one, appId, deviceId);
      return rows.length;
    });
  }

  async removeDeadDevice(
    appId: string,
    deviceId: string,
    tokenHash: string,
    event: OperatorEvent,
  ): Promise<boolean> {
    return this.sql.step(async (one) => {
      const rest = 'where app_id = ? and device_id = ? for update';
      const device = await one.row(DEVICES, rest, [appId, deviceId]);
      if (device?.tokenHash !== tokenHash) return false;
      await removeDevice(one, appId, deviceId);
      await one.add(OPERATOR_EVENTS, [event]);
      return true;
    });
  }

  async countClient(appId: string, clientId: string, most: number): Promise<ReadonlyMap<string, number>> {
    const inner = `select provider from ${DEVICES.name} where app_id = ? and client_id = ? and state <> 'FAILED' limit ${most}`;
    return this.#count(inner, [appId, clientId], most);
  }

  async putSubscription(row: StoredSubscription): Promise<void> {
    await this.sql.now((one) => one.put(SUBSCRIPTIONS, row));
  }

  async removeSubscriptions(appId: string, filter: SubscriptionFilter): Promise<number> {
    const [clause, values] = where(appId, filter);
    const { changed } = await this.sql.now((one) =>
      one.run(`delete from ${SUBSCRIPTIONS.name} where ${clause}`, values),
    );
    return changed;
  }

  async subscriptions(
    appId: string,
    filter: SubscriptionFilter,
    after: readonly [string, string] | null,
    limit: number,
  ): Promise<StoredSubscription[]> {
    const [clause, values] = where(appId, filter);
    const rest = `where ${clause} and (channel, device_id) > (?, ?) order by channel, device_id limit ${limit}`;
    return this.sql.inOrder((one) => one.rows(SUBSCRIPTIONS, rest, [...values, ...(after ?? ['', ''])]));
  }

  async channels(appId: string, after: string | null, limit: number): Promise<string[]> {
    const text = `select distinct channel from ${SUBSCRIPTIONS.name} where app_id = ? and channel > ?
      order by channel limit ${limit}`;
    const { rows } = await this.sql.inOrder((one) => one.run(text, [appId, after ?? '']));
    return rows.map((row) => textOf(row['channel']));
  }

  async countChannel(appId: string, channel: string, most: number): Promise<ReadonlyMap<string, number>> {
    const reached = `select d.device_id, d.provider from ${SUBSCRIPTIONS.name} s
      join ${DEVICES.name} d on d.app_id = s.app_id`;
    const wanted = "s.app_id = ? and s.channel = ? and d.state <> 'FAILED'";
    const inner = `(${reached} and d.device_id = s.device_id where ${wanted} limit ${most})
      union (${reached} and d.client_id = s.client_id where ${wanted} and s.token_hash is null limit ${most})`;
    return this.#count(inner, [appId, channel, appId, channel], most);
  }

  async subscribers(
    appId: string,
    channel: string,
    after: string | null,
    limit: number,
  ): Promise<Subscriber[]> {
    const text = `select s.device_id, s.client_id, s.token_hash as subscribed_hash, d.provider, d.state, d.token_hash
      from ${SUBSCRIPTIONS.name} s left join ${DEVICES.name} d on d.app_id = s.app_id and d.device_id = s.device_id
      where s.app_id = ? and s.channel = ? and s.device_id > ? order by s.device_id limit ${limit}`;
    const { rows } = await this.sql.now((one) => one.run(text, [appId, channel, after ?? '']));
    return rows.map((row) => ({
      deviceId: textOf(row['device_id']),
      clientId:
        row['subscribed_hash'] === null && row['client_id'] !== null ? textOf(row['client_id']) : null,
      device:
        row['state'] === null
          ? null
          : {
              provider: textOf(row['provider']),
              state: textOf(row['state']) as StoredDevice['state'],
              tokenHash: textOf(row['token_hash']),
            },
    }));
  }

  async operatorEvents(sinceMs: number, limit: number): Promise<OperatorEvent[]> {
    const rest = `where occurred_ms >= ? order by occurred_ms, app_id, event_id limit ${limit}`;
    return this.sql.now((one) => one.rows(OPERATOR_EVENTS, rest, [sinceMs]));
  }

  async #credential(rest: string, values: readonly SqlScalar[]): Promise<StoredCredential | null> {
    const row = await this.sql.now((one) => one.row(CREDENTIALS, rest, values));
    return row === null ? null : credentialOf(row);
  }

  async #count(
    inner: string,
    values: readonly SqlScalar[],
    most: number,
  ): Promise<ReadonlyMap<string, number>> {
    const text = `select provider, count(*) as devices from (${inner}) reached group by provider`;
    const { rows } = await this.sql.now((one) => one.run(text, values));
    return new Map(rows.map((row) => [textOf(row['provider']), Math.min(most, Number(row['devices']))]));
  }
}

const isFailing = ({ state }: StoredDevice): boolean => state === 'FAILING';

/** False: it was not there when it was looked for, and is now. */
async function changeDevice(
  one: Statements,
  appId: string,
  deviceId: string,
  decide: (existing: StoredDevice | null) => StoredDevice | null,
): Promise<boolean> {
  const existing = await one.row(DEVICES, 'where app_id = ? and device_id = ? for update', [appId, deviceId]);
  const changed = decide(existing);
  if (changed === null) return true;
  if (existing === null) return (await one.add(DEVICES, [changed])) === 1;
  await one.put(DEVICES, changed);
  if (existing.tokenHash !== changed.tokenHash) {
    await one.run(
      `update ${SUBSCRIPTIONS.name} set provider = ?, token_hash = ? where app_id = ? and device_id = ?`,
      [changed.provider, changed.tokenHash, appId, deviceId],
    );
  }
  return true;
}

export async function removeDevice(one: Statements, appId: string, deviceId: string): Promise<void> {
  for (const { name } of [SUBSCRIPTIONS, DEVICES]) {
    await one.run(`delete from ${name} where app_id = ? and device_id = ?`, [appId, deviceId]);
  }
}

const credentialOf = ({ publicFields, secretFields, ...row }: CredentialRow): StoredCredential => ({
  ...row,
  openFields: JSON.parse(publicFields) as Record<string, string>,
  sealedFields: JSON.parse(secretFields) as Record<string, string>,
});

const credentialRow = ({ openFields, sealedFields, ...row }: StoredCredential): CredentialRow => ({
  ...row,
  publicFields: JSON.stringify(openFields),
  secretFields: JSON.stringify(sealedFields),
});
