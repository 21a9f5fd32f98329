import type { App } from '@carillon/app-registry';
import type { JsonObject, JsonSchema } from '@carillon/api-operations';
import type { Principal, Scope } from '../guards/principals.js';
import { inputOutline, outputOutline } from './outline.js';

/** What a model may be told of a tool besides what it does. */
export interface Hints {
  readonly destructive?: true;
  readonly idempotent?: true;
  /** It leaves the service. */
  readonly openWorld?: true;
}

/** A list in a result that its operation returns whole. */
export interface ListMember {
  readonly member: string;
  /** Member of an entry that names it; absent: the list is a map by name. */
  readonly name?: string;
}

/** One call, its arguments checked. */
export interface ToolCall {
  readonly principal: Principal;
  /** Hash of the session id; null: the call is stateless or reads a resource. */
  readonly session: string | null;
  /** Null: the tool is of no app. */
  readonly app: App | null;
  readonly given: JsonObject;
  /** The arguments as they were written, so that published data goes on as it came. */
  readonly text: string;
}

/** One thing a model can do here. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Null: every principal may call it. */
  readonly scope: Scope | null;
  readonly hints: Hints;
  /** The complete schema that calls are checked against. */
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly isOfApp: boolean;
  /** Whether only a principal of all apps may have it. */
  readonly needsAllApps: boolean;
  /** Whether what it returns was written by anybody who may publish. */
  readonly isUntrusted: boolean;
  /** The list that a result has whole and that is cut into pages here; absent: there is none. */
  readonly list?: ListMember;
  run(call: ToolCall): Promise<unknown>;
}

/** A tool as `tools/list` shows it; the oldest revision has neither titles nor output schemas. */
export function definition(tool: Tool, isOldest: boolean): object {
  const { name, description, input, output, scope, hints } = tool;
  const isReading = scope === 'read' || scope === null;
  const annotations = {
    readOnlyHint: isReading,
    destructiveHint: hints.destructive === true,
    idempotentHint: isReading || hints.idempotent === true,
    openWorldHint: hints.openWorld === true,
  };
  const common = { name, description, inputSchema: inputOutline(name, input), annotations };
  return isOldest ? common : { ...common, title: titleOf(name), outputSchema: outputOutline(output) };
}

/** `get_channel_history` as people read it: `Get channel history`. */
const titleOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
