import type { CarillonServer } from './server.js';
import {
  channelAuthHandler,
  type DecideChannel,
  type DecideUser,
  type OnEvent,
  userAuthHandler,
  webhookHandler,
} from './webhooks/handlers.js';

/** The part of Hono's context that the handlers use. */
interface Context {
  readonly req: { readonly raw: Request };
}

type Handler = (context: Context) => Promise<Response>;

export function webhook(server: CarillonServer, onEvent: OnEvent): Handler {
  const handle = webhookHandler(server, onEvent);
  return ({ req }) => handle(req.raw);
}

export function channelAuth(server: CarillonServer, decide: DecideChannel<Request>): Handler {
  const handle = channelAuthHandler(server, decide);
  return ({ req }) => handle(req.raw);
}

export function userAuth(server: CarillonServer, decide: DecideUser<Request>): Handler {
  const handle = userAuthHandler(server, decide);
  return ({ req }) => handle(req.raw);
}
