/** The version of the tables that this process makes. */
export const SCHEMA_VERSION = 1;

/** Refuses tables of a newer version, which another program understands. */
export function checkedVersion(prefix: string, version: number): void {
  if (version > SCHEMA_VERSION)
    throw new Error(`the tables ${prefix}_* have version ${version}, this process knows ${SCHEMA_VERSION}`);
}
