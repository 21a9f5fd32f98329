import { createRequire } from 'node:module';

interface Manifest {
  readonly version: string;
  readonly homepage?: string;
}

const manifest = createRequire(import.meta.url)('../../../package.json') as Manifest;

export const VERSION = manifest.version;

/** Page with a section for every code of an error. */
const TROUBLESHOOTING =
  manifest.homepage === undefined ? 'docs/troubleshooting.md' : `${manifest.homepage}/troubleshooting`;

const SECTIONS: ReadonlySet<string> = new Set([
  'usage',
  'unreachable',
  'refused',
  'configuration',
  'interrupted',
  'failed',
]);
const BY_EXIT_CODE: Readonly<Record<number, string>> = {
  64: 'usage',
  69: 'unreachable',
  77: 'refused',
  78: 'configuration',
};

/** Address of the section about an error; codes of the service share the section of their exit code. */
export const docsOf = (code: string, exitCode: number): string =>
  `${TROUBLESHOOTING}#${SECTIONS.has(code) ? code : (BY_EXIT_CODE[exitCode] ?? 'failed')}`;
