import type { CarillonServer } from './server.js';
import {
  type Answer,
  answerChannel,
  answerUser,
  answerWebhook,
  type DecideChannel,
  type DecideUser,
  fieldsOf,
  type OnEvent,
  unreadBody,
} from './webhooks/handlers.js';

/** The part of Express's request that the middleware uses. */
interface Incoming extends AsyncIterable<Uint8Array> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
  readonly rawBody?: Uint8Array;
}

interface Outgoing {
  status(code: number): { json(body: unknown): unknown };
}

type Next = (error?: unknown) => void;
type Middleware<Req extends Incoming> = (request: Req, response: Outgoing, next: Next) => void;

const MAX_BYTES = 8 * 1024 * 1024;

/** The bytes of a body that no middleware read. */
async function readBody(request: Incoming): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new RangeError(`the body exceeds ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

/** The raw body, as `express.raw()` or `verify` of `express.json()` kept it, or read here. */
async function rawBodyOf(request: Incoming): Promise<Uint8Array | string> {
  if (request.rawBody !== undefined) return request.rawBody;
  const { body } = request;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body !== undefined) {
    throw unreadBody('use express.raw({ type: "application/json" }) on its route, before express.json()');
  }
  return readBody(request);
}

async function fields(request: Incoming): Promise<Readonly<Record<string, unknown>>> {
  const { body, headers } = request;
  const isParsed = typeof body === 'object' && body !== null && !(body instanceof Uint8Array);
  if (isParsed) return body as Readonly<Record<string, unknown>>;
  const raw = await rawBodyOf(request);
  const text = typeof raw === 'string' ? raw : new TextDecoder().decode(raw);
  return fieldsOf(String(headers['content-type'] ?? ''), text);
}

const answering =
  <Req extends Incoming>(answer: (request: Req) => Promise<Answer>): Middleware<Req> =>
  (request, response, next) => {
    answer(request).then(({ status, body }) => void response.status(status).json(body), next);
  };

export const webhook = <Req extends Incoming>(server: CarillonServer, onEvent: OnEvent): Middleware<Req> =>
  answering(async (request) =>
    answerWebhook(server, { headers: request.headers, body: await rawBodyOf(request) }, onEvent),
  );

export const channelAuth = <Req extends Incoming>(
  server: CarillonServer,
  decide: DecideChannel<Req>,
): Middleware<Req> =>
  answering(async (request) => answerChannel(server, request, await fields(request), decide));

export const userAuth = <Req extends Incoming>(
  server: CarillonServer,
  decide: DecideUser<Req>,
): Middleware<Req> =>
  answering(async (request) => answerUser(server, request, await fields(request), decide));
