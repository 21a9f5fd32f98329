import { createRequire, register } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * The program of the official suite, on Node 20 too: what it imports of a newer `fs` only its other commands use.
 */
const code = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
const fs = code(`export * from 'node:fs'; export const globSync = () => [];`);
register(
  code(
    `export const resolve = (name, context, next) => name === 'fs' ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(name, context);`,
  ),
);

const folder = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
);
await import(pathToFileURL(join(folder, 'dist/index.js')).href);
