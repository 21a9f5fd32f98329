import { RawConnection, type RawTarget } from './raw-connection.js';

/** One answer as it came. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; repeated values are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request to send; `body` adds a content length. */
export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Returns the bytes of a request exactly as given; the head is Latin-1. */
export function requestBytes({ method = 'GET', path = '/', headers = {}, body }: RawRequest): Buffer {
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body as string);
  const length = body === undefined ? {} : { 'Content-Length': String(bytes.length) };
  const lines = Object.entries({ Host: 'test', ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
    bytes,
  ]);
}

function parseHead(head: string): { status: number; headers: Record<string, string> } {
  const [first = '', ...lines] = head.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { status: Number(first.split(' ')[1]), headers };
}

/** Reads one answer from a connection and keeps later bytes. `hasBody` is false after `HEAD`. */
export async function readAnswer(connection: RawConnection, hasBody = true): Promise<RawAnswer> {
  const received = await connection.until((bytes) => bytes.includes('\r\n\r\n'));
  const end = received.indexOf('\r\n\r\n');
  const { status, headers } = parseHead((await connection.take(end + 4)).subarray(0, end).toString('latin1'));
  const length = headers['content-length'];
  if (!hasBody) return { status, headers, body: '' };
  if (length !== undefined)
    return { status, headers, body: (await connection.take(Number(length))).toString() };
  if (status < 200 || status === 204 || status === 304) return { status, headers, body: '' };
  await connection.untilEnd();
  return { status, headers, body: (await connection.take(connection.received.length)).toString() };
}

/** One request on a connection of its own. */
export async function rawHttp(target: RawTarget, request: RawRequest = {}): Promise<RawAnswer> {
  const connection = await RawConnection.open(target);
  try {
    connection.write(requestBytes(request));
    return await readAnswer(connection, request.method !== 'HEAD');
  } finally {
    connection.destroy();
  }
}
