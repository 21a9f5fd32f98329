import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';

const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/** All of standard input, or the bytes up to the first line feed. */
export async function readStdin(
  { stdin, signal }: Pick<Invocation, 'signal' | 'stdin'>,
  { maxBytes = MAX_INPUT_BYTES, untilLineFeed = false } = {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const abort = (): void => void stdin.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      size += bytes.length;
      if (size > maxBytes) throw usageError(`standard input is larger than ${maxBytes} bytes`);
      if (untilLineFeed && bytes.includes(0x0a)) break;
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
  return Buffer.concat(chunks);
}

/** The bytes of an argument: `-` is standard input, `@FILE` a file, else the text itself. */
export async function inputBytes(text: string, name: string, invocation: Invocation): Promise<Buffer> {
  if (text === '-') {
    invocation.claimStdin(name);
    return readStdin(invocation);
  }
  return text.startsWith('@') ? fileBytes(text.slice(1), name, invocation.cwd) : Buffer.from(text);
}

/** The bytes of a file, or of standard input if it is named `-`. */
export async function fileOrStdin(file: string, name: string, invocation: Invocation): Promise<Buffer> {
  return file === '-' ? inputBytes('-', name, invocation) : fileBytes(file, name, invocation.cwd);
}

function fileBytes(file: string, name: string, cwd: string): Buffer {
  const path = resolve(cwd, file);
  try {
    if (statSync(path).size > MAX_INPUT_BYTES)
      throw usageError(`${name}: file "${file}" is larger than 64 MiB`);
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || code === 'usage') throw error;
    throw usageError(`${name}: file "${file}" cannot be read (${code})`);
  }
}

/** The text of UTF-8 bytes; other bytes are a usage error that names the first offset. */
export function utf8Text(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(
      `${name} is not UTF-8: invalid byte at offset ${invalidOffset(bytes)}`,
      'send the bytes as base64 text with --base64',
    );
  }
}

/** Offset of the first byte that does not belong to a valid sequence. */
function invalidOffset(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  const isValid = (end: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2);
    if (isValid(middle)) low = middle;
    else high = middle - 1;
  }
  // A cut sequence at the end is found valid as a stream; its first byte is the invalid one.
  while (low === bytes.length && low > 0 && ((bytes[low - 1] ?? 0) & 0xc0) === 0x80) low -= 1;
  return low === bytes.length ? Math.max(0, low - 1) : low;
}
