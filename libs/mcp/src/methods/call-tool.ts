import { isJsonObject, type JsonObject } from '@carillon/api-operations';
import { rawMember } from '@carillon/protocol';
import type { Audit, CallRecord } from '../audit/audit.js';
import { type CallContext, speaksOldest } from '../calls/context.js';
import type { CallReport, ToolCalls } from '../calls/tool-calls.js';
import { CODES, invalidParams, RpcFailure } from '../rpc/failure.js';
import { callResult, type ResultForm } from '../tools/result.js';
import type { Tool } from '../tools/tool.js';
import type { Settings } from '../settings.js';
import type { Toolbox } from '../tools/toolbox.js';
import { paramsOf, textParam } from './params.js';

/** Numbers of the calls. */
export interface CallMeter {
  /** `unknown` stands for tools that do not exist. */
  called(tool: string, outcome: string, ms: number): void;
}

export interface CallToolParts {
  readonly settings: () => Settings;
  readonly toolbox: () => Toolbox;
  readonly calls: ToolCalls;
  readonly audit: Audit;
  readonly meter: CallMeter;
}

const UNKNOWN = 'unknown';
/** Bytes of JSON that count as one token of a model. */
const TOKEN_BYTES = 4;
const NO_ARGUMENTS = '{}';

/**
 * `tools/call`. Refusals of a tool are results that the model can read; only malformed calls are errors.
 * @throws RpcFailure
 */
export async function callTool(
  { settings, toolbox, calls, audit, meter }: CallToolParts,
  context: CallContext,
  params: unknown,
  text: string,
): Promise<object> {
  const startedMs = performance.now();
  const name = textParam(params, 'name');
  const given = paramsOf(params)['arguments'] ?? {};
  const tool = toolbox().find(name);
  const record = (report: Omit<CallRecord, 'event' | 'what' | 'given' | 'durationMs'>): void => {
    const durationMs = performance.now() - startedMs;
    meter.called(tool?.name ?? UNKNOWN, report.outcome, durationMs);
    const shown = isJsonObject(given) ? given : {};
    audit.called(context, { event: 'mcp.tool.called', what: name, given: shown, durationMs, ...report });
  };
  if (tool === null || !isJsonObject(given)) {
    const failure =
      tool === null
        ? invalidParams(`Unknown tool: ${name}`, toolbox().alternativesTo(name, context.principal))
        : invalidParams('arguments must be an object');
    record({ ...NOTHING, outcome: 'error', status: 400, code: String(failure.code) });
    throw failure;
  }
  const { max_result_tokens: maxTokens, text_results: hasText } = settings().mcp;
  const report = await calls.call(tool, {
    ...askedOf(context, given, text),
    maxBytes: maxTokens * TOKEN_BYTES,
  });
  const form = speaksOldest(context) ? 'text' : hasText ? 'both' : 'structured';
  const result = resultOf(report, form);
  record(told(tool, report, result));
  if (result === null) throw new RpcFailure(200, CODES.transport, 'cancelled');
  return result;
}

const NOTHING = { scope: null, appId: null, bytesOut: 0 } as const;

const askedOf = ({ principal, session, signal }: CallContext, given: JsonObject, text: string) => ({
  principal,
  session: session?.hash ?? null,
  given,
  text: rawMember(rawMember(text, 'params') ?? NO_ARGUMENTS, 'arguments') ?? NO_ARGUMENTS,
  signal,
});

const resultOf = ({ outcome }: CallReport, form: ResultForm): object | null =>
  outcome.kind === 'cancelled' ? null : callResult(outcome, form);

function told(
  { scope }: Tool,
  { outcome, appId }: CallReport,
  result: object | null,
): Omit<CallRecord, 'event' | 'what' | 'given' | 'durationMs'> {
  const bytesOut = result === null ? 0 : Buffer.byteLength(JSON.stringify(result));
  return { scope, appId, bytesOut, ...cameTo(outcome) };
}

/** Outcome of a call for the audit. */
export function cameTo(outcome: CallReport['outcome']): Pick<CallRecord, 'outcome' | 'status' | 'code'> {
  if (outcome.kind === 'cancelled') return { outcome: 'cancelled', status: 499, code: 'cancelled' };
  if (outcome.kind === 'ok') return { outcome: 'ok', status: 200, code: null };
  const { code, status } = outcome.body;
  return {
    outcome: code === 'forbidden' ? 'denied' : code === 'timeout' ? 'timeout' : 'error',
    status,
    code,
  };
}
