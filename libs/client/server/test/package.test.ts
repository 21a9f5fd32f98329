import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../', import.meta.url));

const bundled = async (entry: string): Promise<Uint8Array> => {
  const { outputFiles } = await build({
    entryPoints: [`${FOLDER}dist/src/${entry}.js`],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
};

it.each([
  ['index', 12],
  ['encrypted', 10],
  ['express', 2],
  ['fastify', 2],
  ['hono', 2],
])('the entry %s is bundled for no platform and has at most %d kB', async (entry, kilobytes) => {
  expect(gzipSync(await bundled(entry), { level: 9 }).length).toBeLessThanOrEqual(kilobytes * 1024);
});

it('the package imports nothing of Node and has no dependencies', () => {
  const manifest = JSON.parse(readFileSync(`${FOLDER}package.json`, 'utf8')) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty('dependencies');
});
