import { isJsonObject, type JsonObject } from '@carillon/api-operations';
import type { Audit, CallRecord } from '../audit/audit.js';
import type { CallContext } from '../calls/context.js';
import type { CallReport, ToolCalls } from '../calls/tool-calls.js';
import { CODES, RpcFailure } from '../rpc/failure.js';
import { DATA_ROWS, type DataRow } from '../resources/rows.js';
import { variablesOf } from '../resources/uri.js';
import type { Document } from '../resources/documents.js';
import type { Tool } from '../tools/tool.js';
import type { Toolbox } from '../tools/toolbox.js';
import { UNTRUSTED } from '../tools/result.js';
import { cameTo } from './call-tool.js';
import { textParam } from './params.js';

export interface ResourceParts {
  readonly toolbox: () => Toolbox;
  readonly documents: () => readonly Document[];
  readonly calls: ToolCalls;
  readonly audit: Audit;
}

const JSON_TYPE = 'application/json';

/** Content read: its text, whether it is public, and whether others wrote it. */
interface Content {
  readonly mimeType: string;
  readonly text: string;
  readonly isDocument: boolean;
  readonly isUntrusted: boolean;
}

/** Audit fields of a read. */
type Told = Pick<CallRecord, 'given' | 'appId' | 'outcome' | 'status' | 'code'>;
const FOUND: Told = { given: {}, appId: null, outcome: 'ok', status: 200, code: null };
const NOT_FOUND: Told = { ...FOUND, outcome: 'error', status: 404, code: 'not_found' };

/** Resources are read with tools of the same name, so access rules of a tool also apply to its resource. */
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

  /** Returns the template of that text; null if it is not shown. */
  template(context: CallContext, text: string): DataRow | null {
    return this.#shown(context).find(({ uri }) => uri.text === text) ?? null;
  }

  /** @throws RpcFailure */
  async read(context: CallContext, params: unknown): Promise<{ result: object; isDocument: boolean }> {
    const startedMs = performance.now();
    const uri = textParam(params, 'uri');
    const say = (told: Told, bytesOut: number): void =>
      this.parts.audit.called(context, {
        event: 'mcp.resource.read',
        what: uri,
        scope: 'read',
        durationMs: performance.now() - startedMs,
        bytesOut,
        ...told,
      });
    const record = { told: NOT_FOUND };
    try {
      const { mimeType, text, isDocument, isUntrusted } = await this.#content(context, uri, record);
      say(record.told, Buffer.byteLength(text));
      return {
        result: { contents: [{ uri, mimeType, text }], ...(isUntrusted ? { _meta: UNTRUSTED } : {}) },
        isDocument,
      };
    } catch (error) {
      say(record.told, 0);
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

  async #content(context: CallContext, uri: string, record: { told: Told }): Promise<Content> {
    if (!context.principal.scopes.has('read')) {
      record.told = { ...NOT_FOUND, outcome: 'denied', status: 403, code: 'forbidden' };
      throw notFound(context, uri);
    }
    const document = this.parts.documents().find((one) => one.uri === uri);
    if (document !== undefined) {
      record.told = FOUND;
      return { ...document, isDocument: true, isUntrusted: false };
    }
    for (const row of this.#shown(context)) {
      const variables = variablesOf(row.uri, uri);
      const tool = this.parts.toolbox().find(row.tool);
      if (variables === null || tool === null) continue;
      const text = await this.#ask(context, uri, tool, row.asks(variables), record);
      return { mimeType: JSON_TYPE, text, isDocument: false, isUntrusted: tool.isUntrusted };
    }
    throw notFound(context, uri);
  }

  /** All at once, so that the time of a request is that of the longest. */
  async #ask(
    context: CallContext,
    uri: string,
    tool: Tool,
    asks: readonly JsonObject[],
    record: { told: Told },
  ): Promise<string> {
    const { principal, signal } = context;
    const reports = await Promise.all(
      asks.map((given) => this.parts.calls.call(tool, { principal, given, text: '{}', signal })),
    );
    const [only = '{}', ...more] = reports.map((report, index) => {
      const { appId, outcome } = report;
      record.told = { given: asks[index] ?? {}, appId, ...cameTo(outcome) };
      return textOf(context, uri, report);
    });
    if (more.length === 0) return only;
    return JSON.stringify([only, ...more].map((text) => JSON.parse(text) as unknown).reduce(merged));
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
