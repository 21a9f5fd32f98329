import type { App } from '@carillon/app-registry';
import type { JsonObject } from '@carillon/api-operations';
import { bounded } from '@carillon/runtime';
import type { Principal } from '../guards/principals.js';
import { settled } from '../tools/arguments.js';
import { findings } from '../tools/check.js';
import { paged } from '../tools/pages.js';
import { MAX_RESULT_BYTES, refusal, success, toolError, type ToolOutcome } from '../tools/result.js';
import type { Tool } from '../tools/tool.js';
import type { PrincipalApps } from './apps.js';

/** A requested call. */
export interface AskedCall {
  readonly principal: Principal;
  /** Hash of the session id; absent: there is no session. */
  readonly session?: string | null;
  /** Size to which pages of the result are shortened; absent or 0: they are not. */
  readonly maxBytes?: number;
  readonly given: JsonObject;
  /** The arguments as they were written. */
  readonly text: string;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Result of a call and its app, as far as known. */
export interface CallReport {
  /** Cancelled: the result is not sent. */
  readonly outcome: ToolOutcome | { readonly kind: 'cancelled' };
  readonly appId: string | null;
}

/** Carries tools out: scope, arguments, app, the work, its time. */
export class ToolCalls {
  constructor(
    private readonly apps: PrincipalApps,
    private readonly timeoutMs: () => number,
    /** Called with internal errors; the client gets a fixed text. */
    private readonly onFault: (error: unknown) => void,
  ) {}

  async call(tool: Tool, asked: AskedCall): Promise<CallReport> {
    const report: { appId: string | null } = { appId: null };
    const work = await bounded(this.timeoutMs(), () => this.#call(tool, asked, report), asked.signal);
    if (work.kind === 'done') return { ...report, outcome: work.value };
    if (work.kind === 'failed') {
      const outcome = refusal(work.error);
      if (isFault(outcome)) this.onFault(work.error);
      return { ...report, outcome };
    }
    if (asked.signal.aborted) return { ...report, outcome: { kind: 'cancelled' } };
    const text = tool.scope === 'read' ? 'timed out' : 'timed out; the change may have been applied';
    return { ...report, outcome: toolError('timeout', 504, text) };
  }

  async #call(tool: Tool, asked: AskedCall, report: { appId: string | null }): Promise<ToolOutcome> {
    const { principal } = asked;
    if (tool.scope !== null && !principal.scopes.has(tool.scope)) {
      return toolError('forbidden', 403, `scope ${tool.scope} is needed for ${tool.name}`);
    }
    if (tool.needsAllApps && principal.apps !== null) {
      return toolError('forbidden', 403, `${tool.name} needs a token for all apps`);
    }
    const given = settled(tool.input, asked.given);
    const details = findings(tool.input, given);
    if (details.length > 0) return toolError('invalid_input', 400, 'invalid arguments', details);
    if (!tool.isOfApp) return this.#run(tool, asked, given, null);
    const named = typeof given['app_id'] === 'string' ? given['app_id'] : null;
    report.appId = named;
    const found = await this.apps.find(principal, named);
    if (found.kind === 'unnamed') {
      const detail = { path: '/app_id', message: 'required' };
      return toolError('invalid_input', 400, 'app_id is required', [detail]);
    }
    if (found.kind === 'forbidden')
      return toolError('forbidden', 403, 'this app is not available to the caller');
    report.appId = found.app.id;
    return this.#run(tool, asked, given, found.app);
  }

  async #run(tool: Tool, asked: AskedCall, given: JsonObject, app: App | null): Promise<ToolOutcome> {
    const { principal, session = null, text, maxBytes = 0 } = asked;
    const run = (one: JsonObject): Promise<unknown> =>
      tool.run({ principal, session, app, given: one, text });
    const value =
      maxBytes === 0 ? await run(given) : await paged({ tool, given, run }, maxBytes, MAX_RESULT_BYTES);
    return success(value, tool.isUntrusted);
  }
}

const isFault = (outcome: ToolOutcome): boolean => outcome.kind === 'error' && outcome.body.status === 500;
