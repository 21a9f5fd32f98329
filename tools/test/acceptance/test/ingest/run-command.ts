import { fileURLToPath } from 'node:url';
import { programOf, spawnNode } from '@carillon/testing';

const MAIN = programOf(
  fileURLToPath(new URL('../../../../../../apps/ingest/dist/src/main.js', import.meta.url)),
);

/** Runs a command of the ingest program for these sources; resolves with its exit code and output. */
export async function command(
  sources: readonly unknown[],
  ...args: readonly string[]
): Promise<{ code: number | null; output: string }> {
  const process = spawnNode(MAIN, args, {
    ADAPTER_DRIVER: 'nats',
    CACHE_DRIVER: 'redis',
    INGEST_SOURCES_JSON: JSON.stringify(sources),
  });
  const code = await new Promise<number | null>((resolve) => process.child.once('close', resolve));
  return { code, output: process.output };
}
