/** Texts that a transaction throws. */
export const THROWN = {
  idTaken: 'id_taken',
  keyTaken: 'key_taken',
  missing: 'missing',
  changed: 'changed',
} as const;

const holderOf = (table: string): string =>
  `(SELECT VALUE id FROM ${table} WHERE key = $content.key AND id != $id)`;
const KEY_IS_TAKEN = (table: string): string =>
  `IF array::len(${holderOf(table)}) > 0 { THROW '${THROWN.keyTaken}'; };`;

/** Statements over one table, whose name is an identifier. */
export const statementsOf = (table: string) => ({
  define: `
    DEFINE TABLE IF NOT EXISTS ${table} SCHEMALESS;
    DEFINE INDEX IF NOT EXISTS ${table}_key_idx ON TABLE ${table} FIELDS key UNIQUE;`,
  create: `{
    IF (SELECT VALUE id FROM ONLY $id) != NONE { THROW '${THROWN.idTaken}'; };
    ${KEY_IS_TAKEN(table)}
    CREATE $id CONTENT $content;
  }`,
  update: `{
    IF (SELECT VALUE id FROM ONLY $id) = NONE { THROW '${THROWN.missing}'; };
    IF $seen != NONE AND (SELECT VALUE [key, enabled, policy] FROM ONLY $id) != $seen { THROW '${THROWN.changed}'; };
    ${KEY_IS_TAKEN(table)}
    UPDATE $id CONTENT $content;
  }`,
  remove: 'DELETE $id RETURN BEFORE',
  findById: 'SELECT * FROM $id',
  findByKey: `SELECT * FROM ${table} WHERE key = $key LIMIT 1`,
  list: 'SELECT * FROM $range LIMIT $limit',
});
