/** The server is of a version that this service was never tested with. Trying again does not help. */
export class DatabaseTooOld extends Error {
  override readonly name = 'DatabaseTooOld';
}

/** The oldest version of each server that is served. */
export type OldestVersions = Readonly<Record<string, readonly [major: number, minor: number]>>;

/** Throws `DatabaseTooOld` for a version below the one that is needed, or that cannot be read. */
export function checkServer(name: string, version: string, oldest: OldestVersions): void {
  const needed = oldest[name];
  if (needed === undefined) throw new DatabaseTooOld(`${name} ${version} is not served`);
  const [, major, minor] = /^(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  const distance = Number(major ?? -1) - needed[0] || Number(minor ?? 0) - needed[1];
  if (distance >= 0) return;
  throw new DatabaseTooOld(`${name} ${version} is too old: ${name} ${needed.join('.')} or newer is needed`);
}

/** Parses the version of a MySQL or MariaDB server; MariaDB may put a MySQL version in front for old clients. */
export const readMysqlVersion = (text: string): { readonly name: string; readonly version: string } =>
  /mariadb/i.test(text)
    ? { name: 'MariaDB', version: text.replace(/^5\.5\.5-/, '') }
    : { name: 'MySQL', version: text };

const MAX_CAUSES = 10;

/** Whether a start failed because of the version of a database server, however the error is wrapped. */
export function isTooOld(thrown: unknown): boolean {
  for (let one = thrown, depth = 0; one instanceof Error && depth < MAX_CAUSES; one = one.cause, depth += 1)
    if (one instanceof DatabaseTooOld) return true;
  return false;
}
