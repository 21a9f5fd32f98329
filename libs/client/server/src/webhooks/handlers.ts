import type { Member, User } from '../auth/authorize.js';
import { CarillonError, InvalidRequestError, WebhookError } from '../errors.js';
import type { CarillonServer } from '../server.js';
import type { Webhook, WebhookEvent, WebhookRequest } from './webhook.js';

/** Called for each event, in order; the next one waits for it. */
export type OnEvent = (event: WebhookEvent, webhook: Webhook) => Promise<void> | void;

/** Subscription request of a client that the app's server authorizes. */
export interface ChannelToAuthorize {
  readonly socketId: string;
  readonly channel: string;
}

/** False: not permitted. True: permitted. On presence channels: the member. */
export type DecideChannel<Incoming> = (
  request: Incoming,
  asked: ChannelToAuthorize,
) => Member | Promise<Member | boolean> | boolean;

/** False: not signed in. */
export type DecideUser<Incoming> = (
  request: Incoming,
  asked: { readonly socketId: string },
) => Promise<User | false> | User | false;

/** An answer without a framework. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export async function answerWebhook(
  server: CarillonServer,
  request: WebhookRequest,
  onEvent: OnEvent,
): Promise<Answer> {
  try {
    const webhook = await server.verifyWebhook(request);
    for (const event of webhook.events) await onEvent(event, webhook);
    return { status: 200, body: { ok: true } };
  } catch (error) {
    if (!(error instanceof WebhookError)) return { status: 500, body: { error: 'the handler failed' } };
    const isBody = error.code === 'invalid_body' || error.code === 'invalid_content_type';
    return { status: isBody ? 400 : 401, body: { error: error.message, code: error.code } };
  }
}

type Fields = Readonly<Record<string, unknown>>;

export async function answerChannel<Incoming>(
  server: CarillonServer,
  request: Incoming,
  fields: Fields,
  decide: DecideChannel<Incoming>,
): Promise<Answer> {
  const { socket_id: socketId, channel_name: channel } = fields;
  if (typeof socketId !== 'string' || typeof channel !== 'string') {
    return { status: 400, body: { error: 'socket_id or channel_name is missing' } };
  }
  return signed(async () => {
    const decision = await decide(request, { socketId, channel });
    if (decision === false) return null;
    return server.authorizeChannel(socketId, channel, decision === true ? undefined : decision);
  });
}

export async function answerUser<Incoming>(
  server: CarillonServer,
  request: Incoming,
  { socket_id: socketId }: Fields,
  decide: DecideUser<Incoming>,
): Promise<Answer> {
  if (typeof socketId !== 'string') return { status: 400, body: { error: 'socket_id is missing' } };
  return signed(async () => {
    const user = await decide(request, { socketId });
    return user === false ? null : server.authenticateUser(socketId, user);
  });
}

/** Null: refused. */
async function signed(sign: () => Promise<object | null>): Promise<Answer> {
  try {
    const body = await sign();
    return body === null ? { status: 403, body: { error: 'forbidden' } } : { status: 200, body };
  } catch (error) {
    if (error instanceof InvalidRequestError) return { status: 400, body: { error: error.message } };
    throw error;
  }
}

/** The fields of a form or a JSON body. */
export function fieldsOf(contentType: string, text: string): Fields {
  if (!/^application\/json\b/i.test(contentType)) return Object.fromEntries(new URLSearchParams(text));
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

const responseOf = ({ status, body }: Answer): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });

const readFields = async (request: Request): Promise<Fields> =>
  fieldsOf(request.headers.get('Content-Type') ?? '', await request.text());

/** Verifies webhook requests and calls `onEvent` for each event. */
export const webhookHandler =
  (server: CarillonServer, onEvent: OnEvent) =>
  async (request: Request): Promise<Response> =>
    responseOf(await answerWebhook(server, request, onEvent));

/** Signs private and presence channels. */
export const channelAuthHandler =
  (server: CarillonServer, decide: DecideChannel<Request>) =>
  async (request: Request): Promise<Response> =>
    responseOf(await answerChannel(server, request, await readFields(request.clone()), decide));

/** Signs users in. */
export const userAuthHandler =
  (server: CarillonServer, decide: DecideUser<Request>) =>
  async (request: Request): Promise<Response> =>
    responseOf(await answerUser(server, request, await readFields(request.clone()), decide));

/** An error of the setup, which no request can mend. */
export const unreadBody = (setting: string): CarillonError =>
  new CarillonError(`the body was parsed before the webhook handler: ${setting}`, {
    status: null,
    code: 'parsed_body',
  });
