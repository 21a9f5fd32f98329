import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { fileOrStdin, utf8Text } from '../settings/stdin.js';

/** One event of a batch with its line in the input; items of an array count as lines. */
export interface BatchItem {
  readonly line: number;
  readonly event: Readonly<Record<string, unknown>>;
}

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const BRACKET = 0x5b;
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, LINE_FEED]);

/** Reads NDJSON as a stream, or a JSON array of at most 64 MiB as a whole. */
export async function* batchItems(file: string, invocation: Invocation): AsyncGenerator<BatchItem> {
  let line = 0;
  let isFirst = true;
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(file, invocation)) {
    const start = isFirst ? chunk.findIndex((byte) => !WHITE_SPACE.has(byte)) : -1;
    if (isFirst && start >= 0) {
      if (chunk[start] === BRACKET) {
        yield* arrayItems(chunk, file, invocation);
        return;
      }
      isFirst = false;
    }
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      line += 1;
      yield* itemOf(Buffer.concat([...pending, chunk.subarray(from, at)]), line);
      pending = [];
      size = 0;
      from = at + 1;
    }
    pending.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) throw usageError(`line ${line + 1} is larger than 64 MiB`);
  }
  yield* itemOf(Buffer.concat(pending), line + 1);
}

/** What was read of a standard input that turned out to be an array. */
const iterators = new WeakMap<Invocation, AsyncIterator<Buffer>>();

async function* chunksOf(file: string, invocation: Invocation): AsyncGenerator<Buffer> {
  if (file === '-') {
    invocation.claimStdin('--batch');
    const iterator = (invocation.stdin as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    iterators.set(invocation, iterator);
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      invocation.signal.throwIfAborted();
      yield next.value;
    }
    return;
  }
  try {
    yield* createReadStream(resolve(invocation.cwd, file)) as AsyncIterable<Buffer>;
  } catch (error) {
    throw usageError(
      `--batch: file "${file}" cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}

async function* arrayItems(first: Buffer, file: string, invocation: Invocation): AsyncGenerator<BatchItem> {
  const bytes = file === '-' ? await rest(first, invocation) : await fileOrStdin(file, '--batch', invocation);
  let items: unknown;
  try {
    items = JSON.parse(utf8Text(bytes, '--batch'));
  } catch (error) {
    if (error instanceof SyntaxError) throw usageError('--batch is not a JSON array');
    throw error;
  }
  for (const [index, event] of (items as unknown[]).entries()) yield checked(event, index + 1);
}

async function rest(first: Buffer, invocation: Invocation): Promise<Buffer> {
  const chunks = [first];
  let size = first.length;
  const iterator = iterators.get(invocation);
  for (
    let next = await iterator?.next();
    next !== undefined && next.done !== true;
    next = await iterator?.next()
  ) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > MAX_LINE_BYTES)
      throw usageError('--batch is an array larger than 64 MiB; send NDJSON instead');
  }
  return Buffer.concat(chunks);
}

function* itemOf(bytes: Buffer, line: number): Generator<BatchItem> {
  const text = utf8Text(bytes, `line ${line}`);
  if (text.trim() === '') return;
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    throw usageError(`line ${line} is not JSON`);
  }
  yield checked(event, line);
}

function checked(event: unknown, line: number): BatchItem {
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw usageError(`line ${line} is not an event: expected an object`);
  const { name, channel, channels } = event as Record<string, unknown>;
  if (typeof name !== 'string') throw usageError(`line ${line} has no "name"`);
  if (typeof channel !== 'string' && !Array.isArray(channels))
    throw usageError(`line ${line} has neither "channel" nor "channels"`);
  return { line, event: event as Readonly<Record<string, unknown>> };
}
