import { checksSql } from './checks.js';
import { grantsSql } from './grants.js';
import { maintenanceSql } from './maintenance.js';
import { q, SCHEMA_VERSION, type SqlNames } from './names.js';
import { publishingSql } from './publishing.js';
import { sealSql } from './seal.js';
import { tablesSql } from './tables.js';

/** Refuses to downgrade; a first installation has no version. */
const versionGuard = (schema: string): string => `
DO $$ DECLARE v int; BEGIN
  IF to_regclass('${schema}.outbox_meta') IS NOT NULL THEN
    EXECUTE 'SELECT version FROM ${q(schema)}.outbox_meta' INTO v;
    IF v > ${SCHEMA_VERSION} THEN
      RAISE EXCEPTION 'schema version % is newer than this build (${SCHEMA_VERSION})', v;
    END IF;
  END IF;
END $$;`;

/**
 * The SQL that creates or upgrades the outbox, as one transaction under an advisory lock. It is idempotent, keeps events, and
 * needs CREATE on the database, and CREATEROLE unless the two roles exist.
 */
export function installationSql(names: SqlNames): string {
  const { schema, partitions, rotateSeconds } = names;
  const s = q(schema);
  return [
    'BEGIN;',
    `SELECT pg_advisory_xact_lock(hashtextextended('carillon outbox ${schema}', 0));`,
    // Functions refer to each other in any order, and the owner's search_path must not matter.
    'SET LOCAL check_function_bodies = off;',
    'SET LOCAL search_path = pg_catalog, pg_temp;',
    'SET LOCAL client_min_messages = warning;',
    versionGuard(schema),
    `CREATE SCHEMA IF NOT EXISTS ${s};`,
    tablesSql(names),
    checksSql(names),
    sealSql(names),
    publishingSql(names),
    maintenanceSql(names),
    grantsSql(names),
    `INSERT INTO ${s}.outbox_meta (version, partitions, slots, rotate_seconds)
  VALUES (${SCHEMA_VERSION}, ${partitions}, 4, ${rotateSeconds})
  ON CONFLICT (one) DO UPDATE SET version = excluded.version, rotate_seconds = excluded.rotate_seconds;`,
    'COMMIT;',
    '',
  ].join('\n');
}
