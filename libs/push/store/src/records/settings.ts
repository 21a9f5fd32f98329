import type { OperatorEvent, StoredCredential, StoredTemplate } from '../model/resources.js';
import { readIndexed } from './indexed.js';
import { after as afterKey, behind, keyOf, partsOf } from './keys.js';
import { CREDENTIALS, INDEX, TEMPLATES } from './layout.js';
import type { Parts } from './parts.js';

const PAGE = 1000;

/** Credentials, templates and operator events. */
export class RecordSettings {
  constructor(protected readonly parts: Parts) {}

  async credential(appId: string, credentialId: string): Promise<StoredCredential | null> {
    const { partition, credential } = CREDENTIALS;
    const row = await this.parts.rows.one(partition(appId), credential(credentialId));
    return row === null ? null : (JSON.parse(row.value) as StoredCredential);
  }

  async latestCredential(appId: string, provider: string): Promise<StoredCredential | null> {
    const { partition, credentials } = CREDENTIALS;
    let latest: StoredCredential | null = null;
    for await (const page of this.parts.rows.pages(partition(appId), credentials, PAGE)) {
      for (const { value } of page) {
        const row = JSON.parse(value) as StoredCredential;
        if (row.provider === provider && row.updatedMs > (latest?.updatedMs ?? -1)) latest = row;
      }
    }
    return latest;
  }

  async credentials(appId: string, after: string | null, limit: number): Promise<StoredCredential[]> {
    const { partition, credential, credentials } = CREDENTIALS;
    const from = after === null ? credentials.from : behind(credential(after));
    const rows = await this.parts.rows.range(partition(appId), { ...credentials, from }, limit);
    return rows.map(({ value }) => JSON.parse(value) as StoredCredential);
  }

  async allCredentials(after: readonly [string, string] | null, limit: number): Promise<StoredCredential[]> {
    const { rows } = this.parts;
    const found: StoredCredential[] = [];
    const span = { from: after === null ? null : afterKey(keyOf(...after)), to: null };
    for await (const page of rows.pages(INDEX.credentials, span, limit)) {
      const keys = page.map(({ sort }) => partsOf(sort));
      const stored = await rows.all(
        keys.map(([appId = '', id = '']) => ({
          partition: CREDENTIALS.partition(appId),
          sort: CREDENTIALS.credential(id),
        })),
      );
      for (const row of stored) if (row !== null) found.push(JSON.parse(row.value) as StoredCredential);
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async putCredential(
    row: StoredCredential,
    expected: number | null,
    event: OperatorEvent | null,
  ): Promise<boolean> {
    const { partitions, pointers } = this.parts;
    const { appId, credentialId } = row;
    const partition = CREDENTIALS.partition(appId);
    const sort = CREDENTIALS.credential(credentialId);
    return partitions.step(partition, async (draft) => {
      const value = await draft.readOne(sort);
      const stored = value === null ? null : (JSON.parse(value) as StoredCredential);
      if ((stored?.version ?? null) !== expected) return false;
      if (stored === null) {
        await pointers.put([{ partition: INDEX.credentials, sort: keyOf(appId, credentialId) }]);
      }
      draft.put(sort, JSON.stringify({ ...row, createdMs: stored?.createdMs ?? row.createdMs }));
      if (event !== null) {
        const eventSort = CREDENTIALS.operatorEvent(event.eventId);
        if ((await draft.readOne(eventSort)) === null) draft.put(eventSort, JSON.stringify(event));
        await this.listOperatorEvent(event, partition, eventSort);
      }
      return true;
    });
  }

  async template(appId: string, templateId: string): Promise<StoredTemplate | null> {
    const { partition, template } = TEMPLATES;
    const row = await this.parts.rows.one(partition(appId), template(templateId));
    return row === null ? null : (JSON.parse(row.value) as StoredTemplate);
  }

  async templates(appId: string, after: string | null, limit: number): Promise<StoredTemplate[]> {
    const { partition, template } = TEMPLATES;
    const span = { from: after === null ? null : behind(template(after)), to: null };
    const rows = await this.parts.rows.range(partition(appId), span, limit);
    return rows.map(({ value }) => JSON.parse(value) as StoredTemplate);
  }

  async putTemplate(row: StoredTemplate): Promise<void> {
    const { partition, template } = TEMPLATES;
    const sort = template(row.templateId);
    await this.parts.partitions.step(partition(row.appId), async (draft) => {
      const value = await draft.readOne(sort);
      const createdMs = value === null ? row.createdMs : (JSON.parse(value) as StoredTemplate).createdMs;
      draft.put(sort, JSON.stringify({ ...row, createdMs }));
    });
  }

  async removeTemplate(appId: string, templateId: string): Promise<void> {
    const { partition, template } = TEMPLATES;
    await this.parts.partitions.step(partition(appId), async (draft) => {
      const sort = template(templateId);
      if ((await draft.readOne(sort)) !== null) draft.delete(sort);
    });
  }

  async operatorEvents(sinceMs: number, limit: number): Promise<OperatorEvent[]> {
    return readIndexed<OperatorEvent>(this.parts.rows, this.parts.operatorEvents, {
      span: { fromMs: sinceMs, toMs: null },
      limit,
      keyOf: ({ note }) => operatorEventKey(note),
      judge: (row) => (row === null ? { to: null } : { value: JSON.parse(row.value) as OperatorEvent }),
    });
  }

  /** Before the commit of the event. */
  protected listOperatorEvent(event: OperatorEvent, partition: string, sort: string): Promise<void> {
    const { occurredMs: timeMs, appId, eventId } = event;
    const note = JSON.stringify([partition, sort]);
    return this.parts.operatorEvents.put([{ timeMs, id: [appId, eventId], note }]);
  }
}

/** The key that the index of operator events stores with an entry. */
export function operatorEventKey(note: string): { partition: string; sort: string } {
  const [partition = '', sort = ''] = JSON.parse(note) as string[];
  return { partition, sort };
}
