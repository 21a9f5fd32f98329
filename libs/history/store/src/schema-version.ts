/** The version of the tables that this process makes. */
export const SCHEMA_VERSION = 5;

/** Refuses tables of a newer version, which another program understands. Gives the version that was stored. */
export function checkedVersion(prefix: string, stored: unknown): number {
  const version = Number(stored);
  if (!Number.isSafeInteger(version) || version < 1)
    throw new Error(`the tables ${prefix}_* have no version that can be read`);
  if (version > SCHEMA_VERSION)
    throw new Error(`the tables ${prefix}_* have version ${version}, this process knows ${SCHEMA_VERSION}`);
  return version;
}

/** The statements that lead from the stored version to this one; `steps` by the version that each leads to. */
export const upgradeFrom = (version: number, steps: ReadonlyMap<number, readonly string[]>): string[] =>
  [...steps].filter(([to]) => to > version).flatMap(([, statements]) => statements);
