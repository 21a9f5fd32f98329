/** What the installation SQL is generated from. */
export interface SqlNames {
  readonly schema: string;
  readonly partitions: number;
  readonly rotateSeconds: number;
}

/** Version of the schema that this build installs and reads. */
export const SCHEMA_VERSION = 1;

/** Number of partitions of a new installation. It never changes afterwards: the channels of a partition would. */
export const PARTITIONS = 64;

const IDENTIFIER = /^[a-z_][a-z0-9_]*$/;

/** @throws Error for a name that would need escaping. */
function checkIdentifier(name: string): string {
  if (IDENTIFIER.test(name) && name.length <= 48) return name;
  throw new Error(`invalid identifier "${name}"`);
}

/** A checked identifier, quoted: it may be a reserved word. */
export const q = (name: string): string => `"${checkIdentifier(name)}"`;

/** Roles that the installation creates. */
export const rolesOf = (schema: string) => ({ writer: `${schema}_writer`, reader: `${schema}_reader` });
