import { createRequire } from 'node:module';

/** The version of this build: all packages of the workspace carry the same. */
export function serviceVersion(): string {
  const manifest = createRequire(import.meta.url)('../../../package.json') as { version: string };
  return manifest.version;
}
