import { createClient } from './client.js';
import { installationSql } from './installation/installation.js';
import { PARTITIONS, q } from './installation/names.js';

export interface OutboxInstallation {
  readonly url: string;
  readonly schema: string;
  readonly rotateSeconds: number;
}

/** The SQL that installs or upgrades the outbox; contacts nothing. */
export const outboxSql = ({ schema, rotateSeconds }: Omit<OutboxInstallation, 'url'>): string =>
  installationSql({ schema, rotateSeconds, partitions: PARTITIONS });

/** Installs or upgrades the outbox and returns the version. Rejects with the error of the database. */
export async function installOutbox(installation: OutboxInstallation): Promise<number> {
  const client = await createClient(installation.url, 'carillon ingest installation');
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query({ text: outboxSql(installation) });
    const { rows } = await client.query({
      text: `SELECT version FROM ${q(installation.schema)}.outbox_meta`,
    });
    return Number(rows[0]?.['version']);
  } finally {
    await client.end().catch(() => {});
  }
}
