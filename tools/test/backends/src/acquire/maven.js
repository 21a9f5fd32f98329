// Brings an artifact and everything it needs at run time into the user's cache, through Maven and its settings.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../processes/launch.js';
import { say } from '../say.js';
import { cached } from './cache.js';

/** @import { Artifact } from '../types.js' */

const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
const RESOLVE_LIMIT_MS = 600_000;

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
export function resolveJars(artifact, maven) {
  const version = artifact.coordinates[0]?.split(':')[2] ?? '';
  return cached(`${artifact.name}-${version}`, async (work) => {
    say(`fetching the jars of ${artifact.name} ${version} (Maven)`);
    const pom = join(work, 'pom.xml');
    writeFileSync(pom, project(artifact));
    const args = ['-q', '-B', '-f', pom, COPY, '-DincludeScope=runtime', `-DoutputDirectory=${work}/jars`];
    await run(maven, args, { limitMs: RESOLVE_LIMIT_MS });
    return join(work, 'jars');
  });
}
