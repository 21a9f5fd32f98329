import type { App } from '@carillon/app-registry';
import type { JsonObject, JsonSchema } from '@carillon/api-operations';
import type { Principal, Scope } from '../guards/principals.js';
import { inputOutline, outputOutline } from './outline.js';

/** Hints for models about a tool. */
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
  /** Arguments as written, so that published data is passed on unchanged. */
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
  /** Whether its result was written by arbitrary publishers. */
  readonly isUntrusted: boolean;
  /** The list of a complete result that is paged here; absent: none. */
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

/** Title of a tool: `get_channel_history` becomes `Get channel history`. */
const titleOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
