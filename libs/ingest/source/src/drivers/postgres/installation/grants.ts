import { q, rolesOf, type SqlNames } from './names.js';

const WRITER_FUNCTIONS = [
  'publish(text, text, text, text, jsonb)',
  'publish(text, text, text, jsonb, jsonb)',
  'publish_batch(text, jsonb)',
  'append(text, text, text, text, jsonb)',
  'update_message(text, text, text, jsonb, jsonb)',
  'delete_message(text, text, text, jsonb)',
  'push(text, jsonb)',
];

const role = (name: string): string =>
  `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}') THEN CREATE ROLE ${q(name)} NOLOGIN; END IF; END $$;`;

/** Least privileges: writers execute the publishing functions, the reader reads and moves the cursor. */
export const grantsSql = ({ schema }: SqlNames): string => {
  const s = q(schema);
  const { writer, reader } = rolesOf(schema);
  const functions = WRITER_FUNCTIONS.map((one) => `${s}.${one}`).join(', ');
  return `
${role(writer)}
${role(reader)}
REVOKE ALL ON SCHEMA ${s} FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${s} FROM PUBLIC;
GRANT USAGE ON SCHEMA ${s} TO ${q(writer)}, ${q(reader)};
GRANT EXECUTE ON FUNCTION ${functions} TO ${q(writer)};
GRANT SELECT ON ${s}.outbox, ${s}.outbox_seal, ${s}.outbox_meta, ${s}.outbox_secret TO ${q(reader)};
GRANT SELECT, UPDATE ON ${s}.outbox_cursor TO ${q(reader)};
GRANT SELECT, INSERT, UPDATE, DELETE ON ${s}.outbox_dead, ${s}.outbox_messages TO ${q(reader)};
GRANT EXECUTE ON FUNCTION ${s}._key(), ${s}._rotate(), ${s}.requeue(uuid) TO ${q(reader)};
`;
};
