import type { Readable } from 'node:stream';

const MAX_BYTES = 65_536;

/** Reads the first 64 KiB as text and ignores the rest. */
export async function readLimited(answer: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    const bytes = Buffer.from(chunk as Buffer);
    chunks.push(bytes.subarray(0, MAX_BYTES - size));
    size += bytes.length;
    // Leaving the loop destroys the stream.
    if (size >= MAX_BYTES) break;
  }
  return Buffer.concat(chunks).toString();
}
