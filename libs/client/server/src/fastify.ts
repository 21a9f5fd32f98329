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
} from './webhooks/handlers.js';

/** The parts of Fastify that the plugins use. */
interface Incoming {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

interface Reply {
  code(status: number): { send(body: unknown): unknown };
}

interface Instance {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { readonly parseAs: 'buffer' },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(path: string, handler: (request: Incoming, reply: Reply) => Promise<unknown>): unknown;
}

type Plugin = (instance: Instance, options: { readonly path: string }) => Promise<void>;

/** Routes of a plugin get raw bodies; content type parsers of the rest of the app are not affected. */
const plugin =
  (answer: (request: Incoming, body: Uint8Array) => Promise<Answer>): Plugin =>
  async (instance, { path }) => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
    instance.post(path, async (request, reply) => {
      const raw = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      const { status, body } = await answer(request, raw);
      return reply.code(status).send(body);
    });
  };

const fields = (request: Incoming, body: Uint8Array): Readonly<Record<string, unknown>> =>
  fieldsOf(String(request.headers['content-type'] ?? ''), new TextDecoder().decode(body));

export const webhook = (server: CarillonServer, onEvent: OnEvent): Plugin =>
  plugin((request, body) => answerWebhook(server, { headers: request.headers, body }, onEvent));

export const channelAuth = (server: CarillonServer, decide: DecideChannel<Incoming>): Plugin =>
  plugin((request, body) => answerChannel(server, request, fields(request, body), decide));

export const userAuth = (server: CarillonServer, decide: DecideUser<Incoming>): Plugin =>
  plugin((request, body) => answerUser(server, request, fields(request, body), decide));
