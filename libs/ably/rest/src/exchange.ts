import { CompatError, decodeWire, encodeWire, type WireFormat } from '@carillon/ably-core';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import { errorAnswer } from './error-answer.js';

/** Answer of a route. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** Text sent instead of the body, in no format. */
  readonly text?: string;
  /** Targets by relation. */
  readonly links?: Readonly<Record<string, string>>;
}

/** A request with the formats it is made and answered in. */
export interface Ask {
  readonly request: HttpRequest;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** @throws CompatError 40000 when it cannot be read. */
  readonly body: () => unknown;
}

export type Route = (ask: Ask) => Promise<Reply>;

const TYPES: Readonly<Record<WireFormat, string>> = {
  json: 'application/json',
  msgpack: 'application/x-msgpack',
};
/** Names of types are the same in capitals; more may follow the type, but not the word. */
const ACCEPTED = /\bapplication\/(?:x-)?(json|msgpack)(?![\w.+-])/i;
const NO_CONTENT = 204;
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** In which an answer with this body is sent: data that was binary is so again where it can be. */
export const formatOfAnswer = ({ request }: Ask): WireFormat =>
  answerFormat(request, formatOf(request.header('content-type')));

/** Runs a route and sends its answer; failures are answered too. */
export function serve(
  route: Route,
  told: (error: unknown) => CompatError,
  onReply?: (request: HttpRequest, status: number, bytes: number) => void,
) {
  return async (request: HttpRequest, response: HttpResponse): Promise<void> => {
    try {
      const { query } = request;
      const received = formatOf(request.header('content-type'));
      const format = answerFormat(request, received);
      const reply = await route({ request, query, body: () => bodyOf(request, received) });
      const body = bodyOfReply(reply, format);
      for (const [relation, target] of Object.entries(reply.links ?? {}))
        response.appendHeader('link', `<${target}>; rel="${relation}"`);
      response.statusCode = reply.status;
      if (body === null) response.end();
      else response.end(body, reply.text === undefined ? TYPES[format] : 'text/plain');
      onReply?.(request, reply.status, body === null ? 0 : Buffer.byteLength(body));
    } catch (error) {
      const refusal = told(error);
      onReply?.(request, refusal.statusCode, fail(response, refusal));
    }
  };
}

/** Null: the answer has no body. */
function bodyOfReply({ status, body, text }: Reply, format: WireFormat): string | Uint8Array | null {
  if (text !== undefined) return text;
  return status === NO_CONTENT ? null : encodeWire(body, format);
}

function bodyOf({ rawBody }: HttpRequest, format: WireFormat): unknown {
  if (rawBody === undefined || rawBody.length === 0) return undefined;
  if (rawBody.length > MAX_BODY_BYTES) throw new CompatError(40_009, 'the body is too large', 413);
  return decodeWire(rawBody, format);
}

const formatOf = (type: string | undefined): WireFormat =>
  type !== undefined && /msgpack/i.test(type) ? 'msgpack' : 'json';

function answerFormat(request: HttpRequest, received: WireFormat): WireFormat {
  const { format } = request.query;
  if (format !== undefined && format !== 'json' && format !== 'msgpack')
    throw new CompatError(40_000, 'format is not known');
  if (format !== undefined) return format;
  const accepted = ACCEPTED.exec(request.header('accept') ?? '')?.[1]?.toLowerCase();
  return accepted === undefined ? received : accepted === 'msgpack' ? 'msgpack' : 'json';
}

/** Returns of how many bytes the body is. */
function fail(response: HttpResponse, error: CompatError): number {
  const { status, headers, body } = errorAnswer(error);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  const text = JSON.stringify(body);
  response.end(text, TYPES.json);
  return Buffer.byteLength(text);
}
