import { type CallContext, speaksOldest } from '../calls/context.js';
import { promptDefinition, promptMessages, promptsFor } from '../prompts/prompts.js';
import { CODES, invalidParams, RpcFailure } from '../rpc/failure.js';
import { META, REVISIONS } from '../rpc/revisions.js';
import type { Audit } from '../audit/audit.js';
import { type CallToolParts, callTool } from './call-tool.js';
import { complete, type CompletionParts } from './complete.js';
import { paramsOf, refuseCursor, textParam } from './params.js';
import type { Resources } from './resources.js';

export interface MethodParts extends CallToolParts, CompletionParts {
  readonly resources: Resources;
  readonly audit: Audit;
  readonly version: string;
}

/** One request of a client. */
export interface AskedMethod {
  readonly method: string;
  readonly params: unknown;
  /** The message as it was written. */
  readonly text: string;
}

type Method = (context: CallContext, asked: AskedMethod) => object | Promise<object>;

const LIST_TTL_MS = 60_000;

/** Additional members of stateless results. */
const freshFor = (ttlMs: number): object => ({ ttlMs, cacheScope: 'private' });

/** A list, all on one page. */
const listed =
  (list: (context: CallContext) => object): Method =>
  (context, { params }) => {
    refuseCursor(params);
    return context.era === 'session' ? list(context) : { ...list(context), ...freshFor(LIST_TTL_MS) };
  };

/** The methods of the protocol that answer something, but for `initialize`. */
export class Methods {
  readonly #common: ReadonlyMap<string, Method>;
  readonly #stateless: ReadonlyMap<string, Method>;
  readonly #session: ReadonlyMap<string, Method>;

  constructor(private readonly parts: MethodParts) {
    const { resources } = parts;
    this.#common = new Map<string, Method>([
      ['tools/list', listed((context) => this.#tools(context))],
      ['tools/call', (context, { params, text }) => callTool(parts, context, params, text)],
      ['resources/list', listed((context) => resources.list(context))],
      ['resources/templates/list', listed((context) => resources.templates(context))],
      ['resources/read', (context, { params }) => this.#read(context, params)],
      ['prompts/list', listed((context) => this.#prompts(context))],
      ['prompts/get', (context, { params }) => this.#prompt(context, params)],
      ['completion/complete', (context, { params }) => complete(parts, context, params)],
    ]);
    this.#session = new Map<string, Method>([['ping', () => ({})]]);
    this.#stateless = new Map<string, Method>([['server/discover', () => this.#discovery()]]);
  }

  get serverInfo(): object {
    return { name: 'service', title: 'Realtime Messaging Service', version: this.parts.version };
  }

  /** The result of a request. @throws RpcFailure */
  async perform(context: CallContext, asked: AskedMethod): Promise<object> {
    const { era } = context;
    const own = era === 'session' ? this.#session : this.#stateless;
    const method = own.get(asked.method) ?? this.#common.get(asked.method);
    if (method === undefined) {
      throw new RpcFailure(era === 'session' ? 200 : 404, CODES.unknownMethod, 'unknown method');
    }
    const result = await method(context, asked);
    return era === 'session' ? result : this.#told(result);
  }

  #told(result: object & { readonly _meta?: object }): object {
    const _meta = { ...result._meta, [META.serverInfo]: this.serverInfo };
    return { ...result, resultType: 'complete', _meta };
  }

  #discovery(): object {
    return {
      supportedVersions: REVISIONS,
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: this.parts.settings().instructions,
      ...freshFor(LIST_TTL_MS),
    };
  }

  #tools(context: CallContext): object {
    const shown = this.parts.toolbox().listedFor(context.principal, context.session?.toolsets ?? []);
    const isOldest = speaksOldest(context);
    return { tools: shown.map(({ oldest, current }) => (isOldest ? oldest : current)) };
  }

  async #read(context: CallContext, params: unknown): Promise<object> {
    const { result, isDocument } = await this.parts.resources.read(context, params);
    return context.era === 'session' ? result : { ...result, ...freshFor(isDocument ? LIST_TTL_MS : 0) };
  }

  #shownPrompts({ principal }: CallContext) {
    return promptsFor(principal, this.parts.toolbox());
  }

  #prompts(context: CallContext): object {
    const isOldest = speaksOldest(context);
    return { prompts: this.#shownPrompts(context).map((row) => promptDefinition(row, isOldest)) };
  }

  #prompt(context: CallContext, params: unknown): object {
    const startedMs = performance.now();
    const name = textParam(params, 'name');
    const row = this.#shownPrompts(context).find((one) => one.name === name);
    const { arguments: given } = paramsOf(params);
    const say = (outcome: 'ok' | 'error', bytesOut: number): void =>
      this.parts.audit.called(context, {
        event: 'mcp.prompt.get',
        what: name,
        scope: 'read',
        appId: null,
        given: paramsOf(given),
        outcome,
        status: 200,
        code: outcome === 'ok' ? null : String(CODES.invalidParams),
        durationMs: performance.now() - startedMs,
        bytesOut,
      });
    try {
      if (row === undefined) {
        const prompts = this.#shownPrompts(context).map((one) => one.name);
        throw invalidParams('unknown prompt', { prompts });
      }
      const result = promptMessages(row, given);
      say('ok', Buffer.byteLength(JSON.stringify(result)));
      return result;
    } catch (error) {
      say('error', 0);
      throw error;
    }
  }
}
