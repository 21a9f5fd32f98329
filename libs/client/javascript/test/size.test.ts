import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const source = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

/** Returns the compressed bundle size of a page that uses only these exports. */
async function gzipped(
  entry: string,
  names: string,
): Promise<{ readonly bytes: number; readonly text: string }> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { ${names} } from ${JSON.stringify(source(entry))};`,
      resolveDir: source('.'),
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
  });
  const [file] = outputFiles;
  return { bytes: gzipSync(file?.contents ?? '').length, text: file?.text ?? '' };
}

it('costs a page less than 16 KB with everything of the core, and no library', async () => {
  const { bytes, text } = await gzipped('index.js', 'Carillon');
  expect(bytes).toBeLessThan(16 * 1024);
  expect(text).not.toMatch(/msgpack|protobuf|nacl|fossil|react/i);
});

it('costs what it says for each part that is asked for', async () => {
  for (const [entry, names, most] of [
    ['format/messagepack.js', 'messagepack', 10],
    ['format/protobuf.js', 'protobuf', 10],
    ['delta/fossil.js', 'fossil', 1],
    ['delta/vcdiff.js', 'vcdiff', 2],
    ['encrypted.js', 'secretbox', 12],
  ] as const) {
    const { bytes } = await gzipped(entry, names);
    expect([entry, bytes < most * 1024, bytes]).toEqual([entry, true, bytes]);
  }
});
