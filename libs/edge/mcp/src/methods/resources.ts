import { isJsonObject, type JsonObject } from '@carillon/operations';
import type { Audit } from '../audit/audit.js';
import type { CallContext } from '../calls/context.js';
import type { CallReport, ToolCalls } from '../calls/tool-calls.js';
import { CODES, RpcFailure } from '../rpc/failure.js';
import { DATA_ROWS, type DataRow } from '../resources/rows.js';
import { variablesOf } from '../resources/uri.js';
import type { Document } from '../resources/documents.js';
import type { Tool } from '../tools/tool.js';
import type { Toolbox } from '../tools/toolbox.js';
import { textParam } from './params.js';

export interface ResourceParts {
  readonly toolbox: () => Toolbox;
  readonly documents: () => readonly Document[];
  readonly calls: ToolCalls;
  readonly audit: Audit;
}

const JSON_TYPE = 'application/json';

/** What was read: its text, and whether it is the same for everybody. */
interface Content {
  readonly mimeType: string;
  readonly text: string;
  readonly isDocument: boolean;
}

/** Resources are read with tools of the same name, so what keeps somebody from one keeps him from the other. */
export class Resources {
  constructor(private readonly parts: ResourceParts) {}

  list(context: CallContext): object {
    if (!context.principal.scopes.has('read')) return { resources: [] };
    const data = this.#shown(context)
      .filter(({ uri }) => uri.names.length === 0)
      .map(({ uri, name, description }) => ({ uri: uri.text, name, description, mimeType: JSON_TYPE }));
    const documents = this.parts
      .documents()
      .map(({ uri, name, description, mimeType }) => ({ uri, name, description, mimeType }));
    return { resources: [...data, ...documents] };
  }

  templates(context: CallContext): object {
    const shown = this.#shown(context).filter(({ uri }) => uri.names.length > 0);
    return {
      resourceTemplates: shown.map(({ uri, name, description }) => ({
        uriTemplate: uri.text,
        name,
        description,
        mimeType: JSON_TYPE,
      })),
    };
  }

  /** The template of that text; null: it is none that is shown. */
  template(context: CallContext, text: string): DataRow | null {
    return this.#shown(context).find(({ uri }) => uri.text === text) ?? null;
  }

  /** @throws RpcFailure */
  async read(context: CallContext, params: unknown): Promise<{ result: object; isDocument: boolean }> {
    const startedMs = performance.now();
    const uri = textParam(params, 'uri');
    const say = (outcome: 'ok' | 'error', status: number, code: string | null, bytesOut: number): void =>
      this.parts.audit.called(context, {
        event: 'mcp.resource.read',
        what: uri,
        scope: 'read',
        appId: null,
        given: {},
        outcome,
        status,
        code,
        durationMs: performance.now() - startedMs,
        bytesOut,
      });
    try {
      const { mimeType, text, isDocument } = await this.#content(context, uri);
      say('ok', 200, null, Buffer.byteLength(text));
      return { result: { contents: [{ uri, mimeType, text }] }, isDocument };
    } catch (error) {
      say('error', 200, error instanceof RpcFailure ? String(error.code) : null, 0);
      throw error;
    }
  }

  #shown({ principal }: CallContext): readonly DataRow[] {
    const visible = new Set(
      this.parts
        .toolbox()
        .visibleTo(principal)
        .map(({ name }) => name),
    );
    return DATA_ROWS.filter(({ tool }) => visible.has(tool));
  }

  async #content(context: CallContext, uri: string): Promise<Content> {
    if (!context.principal.scopes.has('read')) throw notFound(context, uri);
    const document = this.parts.documents().find((one) => one.uri === uri);
    if (document !== undefined) return { ...document, isDocument: true };
    for (const row of this.#shown(context)) {
      const variables = variablesOf(row.uri, uri);
      const tool = this.parts.toolbox().find(row.tool);
      if (variables === null || tool === null) continue;
      return {
        mimeType: JSON_TYPE,
        text: await this.#ask(context, uri, tool, row.asks(variables)),
        isDocument: false,
      };
    }
    throw notFound(context, uri);
  }

  async #ask(context: CallContext, uri: string, tool: Tool, asks: readonly JsonObject[]): Promise<string> {
    const { principal, signal } = context;
    const answers: string[] = [];
    for (const given of asks) {
      const report = await this.parts.calls.call(tool, { principal, given, text: '{}', signal });
      answers.push(textOf(context, uri, report));
    }
    const [only = '{}'] = answers;
    return answers.length === 1
      ? only
      : JSON.stringify(answers.map((text) => JSON.parse(text) as unknown).reduce(merged));
  }
}

/** Maps of the later answer add to those of the one before. */
function merged(before: unknown, after: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const entries = Object.entries(after).map(([name, value]) => [name, merged(before[name], value)]);
  return { ...before, ...(Object.fromEntries(entries) as JsonObject) };
}

function textOf(context: CallContext, uri: string, { outcome }: CallReport): string {
  if (outcome.kind === 'ok') return outcome.text;
  if (outcome.kind === 'cancelled') throw new RpcFailure(200, CODES.transport, 'cancelled');
  const { code, status, error } = outcome.body;
  if (status === 404 || code === 'forbidden') throw notFound(context, uri);
  if (code === 'timeout') throw new RpcFailure(200, CODES.internal, 'timed out');
  throw new RpcFailure(200, CODES.internal, error, { data: { code, status } });
}

const notFound = ({ era }: CallContext, uri: string): RpcFailure =>
  new RpcFailure(200, era === 'session' ? CODES.noResource : CODES.invalidParams, 'resource not found', {
    data: { uri },
  });
