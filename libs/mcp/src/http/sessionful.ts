import { isJsonObject } from '@carillon/api-operations';
import { rawElements } from '@carillon/protocol';
import type { Audit } from '../audit/audit.js';
import type { Principal } from '../guards/principals.js';
import type { Methods } from '../methods/methods.js';
import { paramsOf } from '../methods/params.js';
import { CODES, errorMessage, invalidParams, RpcFailure, unavailable } from '../rpc/failure.js';
import { type Message, type ReceivedMessages, readMessage } from '../rpc/read-message.js';
import { isSessionRevision, REVISIONS, SESSION_REVISIONS } from '../rpc/revisions.js';
import { clientInfoOf } from '../rpc/stateless.js';
import type { KnownSessions } from '../sessions/known.js';
import type { RunningCalls } from '../sessions/running.js';
import type { Owner, Session, Sessions } from '../sessions/sessions.js';
import type { Streams } from '../sessions/streams.js';
import type { Settings } from '../settings.js';
import { failureOf, sendFailure, sendJson, sendNothing } from './answers.js';
import type { Exchange } from './exchange.js';

export interface SessionfulParts {
  readonly settings: () => Settings;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly running: RunningCalls;
  readonly methods: Methods;
  readonly audit: Audit;
  readonly known: KnownSessions;
  readonly meter: { fault(error: unknown): void };
  /** Takes a slot for each further item of an array. */
  readonly admitMore: (exchange: Exchange, more: number) => Promise<void>;
}

type Request = Extract<Message, { kind: 'request' }>;

const SESSION_HEADER = 'mcp-session-id';
const VERSION_HEADER = 'mcp-protocol-version';
const MAX_ITEMS = 50;
const OLDEST = '2025-03-26';

const invalid = (message: string): RpcFailure => new RpcFailure(400, CODES.invalidRequest, message);
const refuse = (status: number, message: string): RpcFailure =>
  new RpcFailure(status, CODES.transport, message);

const ownerOf = ({ name, proof }: Principal): Owner => ({ principal: name, proof });

/** A request for a new session has no session id yet. */
const beginsSession = (item: unknown): boolean => isJsonObject(item) && item['method'] === 'initialize';

/** Requests of the revisions with sessions. */
export class Sessionful {
  constructor(private readonly parts: SessionfulParts) {}

  /** @throws RpcFailure */
  async post(exchange: Exchange, received: ReceivedMessages): Promise<void> {
    const { isArray, items } = received;
    if (!isArray) {
      return this.#single(exchange, readMessage(items[0]), received.text);
    }
    if (items.some(beginsSession)) throw invalid('initialize must stand alone');
    const session = await this.#session(exchange);
    if (session.revision !== OLDEST) throw invalid(`arrays are for revision ${OLDEST} only`);
    if (items.length === 0 || items.length > MAX_ITEMS)
      throw invalid(`an array holds 1 to ${MAX_ITEMS} messages`);
    const messages = items.map(readMessage);
    await this.parts.admitMore(exchange, items.length - 1);
    await this.#many(exchange, session, messages, rawElements(received.text));
  }

  /** @throws RpcFailure */
  async get(exchange: Exchange): Promise<void> {
    const { streams } = this.parts;
    const session = await this.#session(exchange);
    if (streams.isFull) throw unavailable('too many streams are open');
    const lease = await this.#stored(() => streams.lease(session));
    if (lease === null) throw refuse(409, 'a stream of this session is open');
    const { response } = exchange;
    response.setHeader('cache-control', 'no-cache, no-transform');
    response.setHeader('x-accel-buffering', 'no');
    response.setHeader('content-type', 'text/event-stream');
    const stream = response.openStream();
    if (stream === null) return streams.release(session, lease);
    streams.add(session, lease, stream);
  }

  /** @throws RpcFailure */
  async delete(exchange: Exchange): Promise<void> {
    const { sessions, streams, known } = this.parts;
    const session = await this.#session(exchange);
    await this.#stored(() => sessions.end(session.hash));
    streams.end(session.hash);
    known.ended(session.hash, session.principal, 'delete');
    sendNothing(exchange.response, 200);
  }

  /** From here on failures carry the id of the request. */
  async #single(exchange: Exchange, message: Message, text: string): Promise<void> {
    const isBeginning = message.kind === 'request' && message.method === 'initialize';
    try {
      await (isBeginning ? this.#initialize(exchange, message) : this.#one(exchange, message, text));
    } catch (error) {
      if (!(error instanceof RpcFailure) || message.kind !== 'request') throw error;
      sendFailure(exchange.response, error, message.id);
    }
  }

  async #initialize(exchange: Exchange, { id, params }: Request): Promise<void> {
    if (exchange.header(SESSION_HEADER) !== undefined)
      throw invalid('initialize begins a session: it is in none');
    const { protocolVersion, clientInfo, capabilities } = paramsOf(params);
    const client = clientInfoOf(clientInfo);
    if (typeof protocolVersion !== 'string' || client === null || !isJsonObject(capabilities))
      throw invalidParams('protocolVersion, clientInfo and capabilities are required');
    const { sessions, methods, settings, audit, known } = this.parts;
    const revision = isSessionRevision(protocolVersion) ? protocolVersion : SESSION_REVISIONS[0];
    const begun = await this.#stored(() =>
      sessions.begin({
        ...ownerOf(exchange.principal),
        revision,
        client: { name: client.name.slice(0, 256), version: client.version.slice(0, 256) },
        createdMs: Date.now(),
        toolsets: [],
      }),
    );
    known.began(begun.session);
    audit.sessionCreated({ ...this.#contextOf(exchange, begun.session, new AbortController().signal) });
    if (begun.evicted !== null) {
      this.parts.streams.end(begun.evicted);
      known.ended(begun.evicted, exchange.principal.name, 'evicted');
    }
    exchange.response.setHeader('mcp-session-id', begun.id);
    const result = {
      protocolVersion: revision,
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: false, listChanged: false },
        prompts: { listChanged: false },
        completions: {},
      },
      serverInfo: methods.serverInfo,
      instructions: settings().instructions,
    };
    sendJson(exchange.response, { jsonrpc: '2.0', id, result });
  }

  async #one(exchange: Exchange, message: Message, text: string): Promise<void> {
    const session = await this.#session(exchange);
    const answer = await this.#answer(exchange, session, message, text);
    if (answer === null) sendNothing(exchange.response, 202);
    else sendJson(exchange.response, answer);
  }

  async #many(
    exchange: Exchange,
    session: Session,
    messages: readonly Message[],
    texts: readonly string[],
  ): Promise<void> {
    const answers: object[] = [];
    for (const [index, message] of messages.entries()) {
      const answer = await this.#answer(exchange, session, message, texts[index] ?? '{}');
      if (answer !== null) answers.push(answer);
    }
    if (answers.length === 0) sendNothing(exchange.response, 202);
    else sendJson(exchange.response, answers);
  }

  /** Null: notifications have no answer. Never rejects. */
  async #answer(
    exchange: Exchange,
    session: Session,
    message: Message,
    text: string,
  ): Promise<object | null> {
    if (message.kind !== 'request') {
      await this.#notified(session, message);
      return null;
    }
    const { id, method, params } = message;
    const running = this.parts.running.begin(session.hash, id);
    try {
      const context = this.#contextOf(exchange, session, running.signal);
      const result = await this.parts.methods.perform(context, { method, params, text });
      return { jsonrpc: '2.0', id, result };
    } catch (error) {
      if (!(error instanceof RpcFailure)) this.parts.meter.fault(error);
      return errorMessage(id, failureOf(error));
    } finally {
      running.end();
    }
  }

  async #notified(session: Session, message: Message): Promise<void> {
    if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return;
    const { requestId } = paramsOf(message.params);
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    await this.#stored(() => this.parts.running.cancel(session.hash, requestId));
  }

  /** The session that a request names. @throws RpcFailure */
  async #session(exchange: Exchange): Promise<Session> {
    const id = exchange.header(SESSION_HEADER);
    if (id === undefined) throw refuse(400, 'MCP-Session-Id is missing');
    const session = await this.#stored(() => this.parts.sessions.use(id, ownerOf(exchange.principal)));
    if (session === null) throw new RpcFailure(404, CODES.noSession, 'session not found');
    // A supported revision is no error, whichever it is: the session is served by its own.
    const version = exchange.header(VERSION_HEADER);
    if (version === undefined || isSessionRevision(version)) return session;
    this.parts.audit.rejected('version', exchange.request.ip, exchange.principal.name);
    throw refuse(400, `unsupported protocol version; supported are ${REVISIONS.join(', ')}`);
  }

  #contextOf(exchange: Exchange, { hash, revision, toolsets, client }: Session, signal: AbortSignal) {
    return exchange.context({ era: 'session', session: { hash, revision, toolsets }, client, signal });
  }

  async #stored<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch {
      throw unavailable('the store of sessions is unavailable');
    }
  }
}
