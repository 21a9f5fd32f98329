// Brings an artifact and everything it needs at run time into the user's cache, through Maven and its settings.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from '../processes/launch.js';
import { say } from '../say.js';
import { withLock } from '../state/lock.js';

/** @import { Artifact } from '../types.js' */

const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
const RESOLVE_LIMIT_MS = 600_000;

function cache() {
  const asked = process.env.XDG_CACHE_HOME;
  const base = asked === undefined || asked === '' ? join(homedir(), '.cache') : asked;
  return join(base, 'carillon', 'engines');
}

/** @param {string} coordinate @param {string[]} exclusions */
function dependency(coordinate, exclusions) {
  const [group, artifact, version] = coordinate.split(':');
  const excluded = exclusions.map((one) => {
    const [group, artifact] = one.split(':');
    return `<exclusion><groupId>${group}</groupId><artifactId>${artifact}</artifactId></exclusion>`;
  });
  return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>
    <exclusions>${excluded.join('')}</exclusions></dependency>`;
}

/** @param {Artifact} artifact */
const project = ({ name, coordinates, exclusions = [] }) => `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>carillon.engines</groupId><artifactId>${name}</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>${coordinates.map((one) => dependency(one, exclusions)).join('\n')}</dependencies>
</project>
`;

/** The folder of the artifact's jars; they are fetched when they are not there yet. @param {Artifact} artifact @param {string} maven */
export async function resolveJars(artifact, maven) {
  const version = artifact.coordinates[0]?.split(':')[2] ?? '';
  const jars = join(cache(), `${artifact.name}-${version}`);
  if (existsSync(jars)) return jars;
  mkdirSync(cache(), { recursive: true });
  return withLock(`${jars}.lock`, async () => {
    if (existsSync(jars)) return jars;
    say(`fetching the jars of ${artifact.name} ${version} (Maven)`);
    const work = mkdtempSync(`${jars}.`);
    try {
      const pom = join(work, 'pom.xml');
      writeFileSync(pom, project(artifact));
      const args = ['-q', '-B', '-f', pom, COPY, '-DincludeScope=runtime', `-DoutputDirectory=${work}/jars`];
      await run(maven, args, { limitMs: RESOLVE_LIMIT_MS });
      renameSync(join(work, 'jars'), jars);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
    return jars;
  });
}
