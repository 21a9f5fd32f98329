import type { ManagementApi } from '../api/management.js';
import { segments } from '../api/signed.js';
import { CommandError } from '../program/errors.js';
import type { AppChanges, AppItem, AppList, AppPort } from './app-port.js';

/** Apps over the management API. */
export class ManagedApps implements AppPort {
  constructor(private readonly api: ManagementApi) {}

  async list(cursor: string | null): Promise<AppList> {
    const query = { limit: '500', ...(cursor === null ? {} : { cursor }) };
    return (await this.api.request<AppList>({ method: 'GET', path: '/apps', query })).body;
  }

  async show(id: string): Promise<AppItem> {
    return (await this.api.request<AppItem>({ method: 'GET', path: segments('apps', id) })).body;
  }

  async create(members: AppChanges): Promise<AppItem> {
    return (await this.api.request<AppItem>({ method: 'POST', path: '/apps', body: members })).body;
  }

  /** The revision of a fresh read keeps the change from overwriting one that another operator makes meanwhile. */
  async update(id: string, changes: AppChanges): Promise<AppItem> {
    const { etag } = await this.api.request<AppItem>({ method: 'GET', path: segments('apps', id) });
    const headers = { 'If-Match': etag ?? '*' };
    return (
      await this.api.request<AppItem>({ method: 'PATCH', path: segments('apps', id), body: changes, headers })
    ).body;
  }

  async setEnabled(id: string, enabled: boolean): Promise<AppItem> {
    const path = segments('apps', id, enabled ? 'enable' : 'disable');
    return (await this.api.request<AppItem>({ method: 'POST', path })).body;
  }

  async delete(id: string): Promise<void> {
    try {
      await this.api.request({ method: 'DELETE', path: segments('apps', id), query: { confirm: id } });
    } catch (error) {
      if (!(error instanceof CommandError) || error.code !== 'conflict') throw error;
      const { code, exitCode, status, message } = error;
      throw new CommandError(message, { code, exitCode, status, cure: `carillon apps disable ${id}` });
    }
  }

  async rotateSecret(id: string, graceMs: number | undefined): Promise<object> {
    const body = graceMs === undefined ? {} : { grace_seconds: Math.ceil(graceMs / 1000) };
    const path = segments('apps', id, 'rotate-secret');
    return (await this.api.request<object>({ method: 'POST', path, body })).body;
  }

  async close(): Promise<void> {
    // Requests leave nothing open.
  }
}
