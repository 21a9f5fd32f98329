import type { App } from '@carillon/app-registry';
import type { JsonObject, JsonSchema } from '@carillon/operations';
import type { Principal, Scope } from '../guards/principals.js';

/** What a model may be told of a tool besides what it does. */
export interface Hints {
  readonly destructive?: true;
  readonly idempotent?: true;
  /** It leaves the service. */
  readonly openWorld?: true;
}

/** One call, its arguments checked. */
export interface ToolCall {
  readonly principal: Principal;
  /** Null: the tool is of no app. */
  readonly app: App | null;
  readonly given: JsonObject;
  /** The arguments as they were written, so that published data goes on as it came. */
  readonly text: string;
}

/** One thing a model can do here. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly hints: Hints;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly isOfApp: boolean;
  /** Whether only a principal of all apps may have it. */
  readonly needsAllApps: boolean;
  /** Whether what it returns was written by anybody who may publish. */
  readonly isUntrusted: boolean;
  run(call: ToolCall): Promise<unknown>;
}

/** A tool as clients read it; the oldest revision knows neither titles nor shapes of results. */
export function definition(tool: Tool, isOldest: boolean): object {
  const { name, title, description, input, output, scope, hints } = tool;
  const annotations = {
    readOnlyHint: scope === 'read',
    destructiveHint: hints.destructive === true,
    idempotentHint: scope === 'read' || hints.idempotent === true,
    openWorldHint: hints.openWorld === true,
  };
  const common = { name, description, inputSchema: input, annotations };
  return isOldest ? common : { ...common, title, outputSchema: output };
}
