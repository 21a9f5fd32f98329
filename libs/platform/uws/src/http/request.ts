import { ServiceError } from '@carillon/errors';
import type { HttpRequest as NativeRequest, HttpResponse as NativeResponse } from 'uWebSockets.js';
import { clientAddress } from '../client-address.js';
import { isAmbiguous } from './framing.js';
import { decodeSegment, isDecodable } from './path.js';
import { parseQuery } from './query.js';

/** Header values by lower-case name. A name that repeats has its values joined by `, `. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const ascii = new TextDecoder('latin1');

/** Target of {@link collect}: reading headers must not cost a closure per request. */
let collecting: string[] = [];
const collect = (name: string, value: string): void => {
  collecting.push(name, value);
};

function headerPairs(native: NativeRequest): string[] {
  collecting = [];
  native.forEach(collect);
  return collecting;
}

/**
 * One request for controllers, guards and hot routes. The `raw…` members hold the received data; the views
 * (`headers`, `params`, `query`, `body`, `ip`) are created on first use, so that a signature can be verified over raw
 * bytes before anything is parsed. Extensible, because Nest and middleware add members of their own.
 */
export class HttpRequest {
  /** Method as received; `HEAD` stays `HEAD`. */
  readonly method: string;
  /** The path exactly as on the wire: not decoded, without the query, with its trailing slash. */
  readonly rawPath: string;
  /** Path without the prefix of the routes of apps. */
  routedPath: string;
  /** Undecoded query after the `?`; empty if none. */
  readonly rawQuery: string;
  /** The body's bytes. Undefined without a body, and for GET, HEAD and DELETE, whose bodies are ignored unless their digest is signed. */
  rawBody: Buffer | undefined;
  /** The route that answers, as registered (`/apps/:appId/events`); empty until one is found. */
  route = '';

  /** Bytes of the body as it came, also when it is ignored. */
  bodyLength = 0;

  readonly #native: NativeResponse;
  readonly #trustHops: number;
  readonly #pairs: readonly string[];
  #names: readonly string[] = [];
  #values: readonly string[] = [];
  #headers: RequestHeaders | undefined;
  #params: Record<string, string> | undefined;
  #query: Record<string, string> | undefined;
  #body: { readonly value: unknown } | undefined;
  #peer: string | undefined;
  #ended = false;

  constructor(native: NativeRequest, response: NativeResponse, trustHops: number) {
    this.method = native.getCaseSensitiveMethod();
    this.rawPath = native.getUrl();
    this.routedPath = this.rawPath;
    // Declared as text, but undefined when there is no question mark.
    this.rawQuery = native.getQuery() || '';
    this.#pairs = headerPairs(native);
    this.#native = response;
    this.#trustHops = trustHops;
  }

  /** Path and query as on the wire. */
  get url(): string {
    return this.rawQuery === '' ? this.rawPath : `${this.rawPath}?${this.rawQuery}`;
  }

  get originalUrl(): string {
    return this.url;
  }

  get path(): string {
    return this.rawPath;
  }

  get headers(): RequestHeaders {
    this.#headers ??= headersOf(this.#pairs);
    return this.#headers;
  }

  /** One header without building them all; the first when it repeats. */
  header(lowerCaseName: string): string | undefined {
    for (let index = 0; index < this.#pairs.length; index += 2) {
      if (this.#pairs[index] === lowerCaseName) return this.#pairs[index + 1];
    }
    return undefined;
  }

  /** Whether a header declares the end of the request: it has a body, possibly empty. */
  get isFramed(): boolean {
    return this.isChunked || this.header('content-length') !== undefined;
  }

  get isChunked(): boolean {
    return this.header('transfer-encoding') !== undefined;
  }

  /** Whether another server could see another end of this request than the native parser does. */
  isAmbiguous(): boolean {
    return isAmbiguous(this.#pairs);
  }

  /** Whether the path can be decoded: its escapes are complete and decode to UTF-8, as its bytes do. */
  hasValidPath(): boolean {
    return isDecodable(this.rawPath);
  }

  /** Bytes of the head as text counts them; used for its bound. */
  headLength(): number {
    let length = this.method.length + this.rawPath.length + this.rawQuery.length;
    for (const text of this.#pairs) length += text.length + 2;
    return length;
  }

  /** Path parameters as on the wire, undecoded. */
  get rawParams(): Readonly<Record<string, string>> {
    return this.#paramsBy((text) => text);
  }

  /**
   * Path parameters, percent-decoded once.
   *
   * @throws ServiceError `invalid_input` when one is not valid UTF-8.
   */
  get params(): Readonly<Record<string, string>> {
    this.#params ??= this.#paramsBy(decodeSegment);
    return this.#params;
  }

  #paramsBy(view: (text: string) => string): Record<string, string> {
    const params = Object.create(null) as Record<string, string>;
    this.#names.forEach((name, index) => {
      params[name] = view(this.#values[index] ?? '');
    });
    return params;
  }

  get query(): Readonly<Record<string, string>> {
    this.#query ??= parseQuery(this.rawQuery);
    return this.#query;
  }

  /**
   * The body as JSON, regardless of its content type; undefined without one.
   * @throws ServiceError `invalid_input` if the bytes are not UTF-8 JSON
   */
  get body(): unknown {
    this.#body ??= { value: parseBody(this.rawBody) };
    return this.#body.value;
  }

  /** A body that a middleware has made of the bytes. */
  set body(value: unknown) {
    this.#body = { value };
  }

  /** The address of the other end of the connection; empty on a Unix socket or when it is gone already. */
  get peer(): string {
    this.#peer ??= this.#ended ? '' : ascii.decode(this.#native.getRemoteAddressAsText());
    return this.#peer;
  }

  /** Client address with regard to trusted proxies; null if there is none. */
  get ip(): string | null {
    return clientAddress(this.peer, this.headers, this.#trustHops);
  }

  /** The address that trusted proxies report for the client; null without trusted proxies. */
  get forwardedIp(): string | null {
    return this.#trustHops > 0 ? this.ip : null;
  }

  /** The router's result; the room's own. */
  matched(template: string, names: readonly string[], values: readonly string[]): void {
    this.route = template;
    this.#names = names;
    this.#values = values;
  }

  /** Called once the native objects may no longer be touched; the room's own. */
  ended(): void {
    this.#ended = true;
  }
}

function headersOf(pairs: readonly string[]): RequestHeaders {
  const headers = Object.create(null) as Record<string, string | undefined>;
  for (let index = 0; index < pairs.length; index += 2) {
    const name = pairs[index] ?? '';
    const value = pairs[index + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

function parseBody(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch {
    throw new ServiceError('invalid_input', { text: 'the body is not valid JSON' });
  }
}
