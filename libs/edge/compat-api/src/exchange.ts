import { CompatError, decodeWire, encodeWire, refusalOf, type WireFormat } from '@carillon/compat-core';
import type { HttpRequest, HttpResponse } from '@carillon/uws';

/** What a route answers. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
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
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const RETRY_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/** In which an answer with this body is sent: data that was binary is so again where it can be. */
export const formatOfAnswer = ({ request }: Ask): WireFormat =>
  answerFormat(request, formatOf(request.header('content-type')));

/** Carries a route out and answers it, whatever happens. */
export function serve(route: Route, onFault: (error: unknown) => void) {
  return async (request: HttpRequest, response: HttpResponse): Promise<void> => {
    try {
      const { query } = request;
      const received = formatOf(request.header('content-type'));
      const format = answerFormat(request, received);
      const body = (): unknown => bodyOf(request, received);
      const reply = await route({ request, query, body });
      for (const [relation, target] of Object.entries(reply.links ?? {}))
        response.appendHeader('link', `<${target}>; rel="${relation}"`);
      response.statusCode = reply.status;
      response.end(encodeWire(reply.body, format), TYPES[format]);
    } catch (error) {
      fail(response, errorOf(error, onFault));
    }
  };
}

function bodyOf({ rawBody }: HttpRequest, format: WireFormat): unknown {
  if (rawBody === undefined || rawBody.length === 0) return undefined;
  if (rawBody.length > MAX_BODY_BYTES) throw new CompatError(40_009, 'the body is too large', 413);
  return decodeWire(rawBody, format);
}

const formatOf = (type: string | undefined): WireFormat =>
  type?.includes('msgpack') === true ? 'msgpack' : 'json';

function answerFormat(request: HttpRequest, received: WireFormat): WireFormat {
  const { format } = request.query;
  if (format !== undefined && format !== 'json' && format !== 'msgpack')
    throw new CompatError(40_000, 'format is not known');
  if (format !== undefined) return format;
  const accepted = /application\/(?:x-)?(json|msgpack)/.exec(request.header('accept') ?? '')?.[1];
  return accepted === undefined ? received : accepted === 'msgpack' ? 'msgpack' : 'json';
}

/** What is told of a failure; those of ours without a word of their cause. */
function errorOf(error: unknown, onFault: (error: unknown) => void): CompatError {
  const told = refusalOf(error);
  if (told instanceof CompatError) return told;
  onFault(error);
  return new CompatError(50_000, 'internal error', 500);
}

function fail(response: HttpResponse, { body }: CompatError): void {
  const { statusCode, code, message } = body;
  response.setHeader('x-ably-errorcode', code);
  response.setHeader('x-ably-errormessage', message.replaceAll(/[^ -~]/g, ' '));
  if (RETRY_STATUSES.has(statusCode)) response.setHeader('retry-after', 1);
  response.statusCode = statusCode;
  response.end(JSON.stringify({ error: body }), TYPES.json);
}
