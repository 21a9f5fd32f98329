import {
  argumentsSchema,
  type AnyInput,
  inputOfArguments,
  keyHolder,
  type Operation,
  type Operations,
} from '@carillon/api-operations';
import { forOperation, ofApp, withCursor } from './arguments.js';
import { OPERATION_ROWS, type OperationRow } from './operation-rows.js';
import type { Tool } from './tool.js';

/** Label of this transport in metrics and logs. */
const VIA = 'mcp';

/** A tool for every row whose operation this process carries out. */
export function operationTools({ live, ...common }: Operations): readonly Tool[] {
  const carriedOut: Readonly<Record<string, Operation<AnyInput, unknown>>> = { ...common, ...live };
  return Object.entries(OPERATION_ROWS).flatMap(([name, row]) => {
    const operation = carriedOut[row.operation];
    return operation === undefined ? [] : [toolOf(name, row, operation)];
  });
}

function toolOf(name: string, row: OperationRow, operation: Operation<AnyInput, unknown>): Tool {
  const { description } = operation;
  const schema = ofApp(argumentsSchema(description));
  const { list } = row;
  return {
    name,
    description: row.use,
    scope: row.scope,
    hints: row.hints ?? {},
    input: list === undefined ? schema : withCursor(schema),
    ...(list === undefined ? {} : { list }),
    output: objectSchema(description.result.schema),
    isOfApp: true,
    needsAllApps: false,
    isUntrusted: row.isUntrusted === true,
    run: async ({ app, principal, given, text }) => {
      if (app === null) throw new Error(`${name} is of an app`);
      const caller = keyHolder(app, VIA, `mcp:${principal.name}`);
      const input = inputOfArguments(description, { object: forOperation(given), text });
      return (await operation.perform(caller, input)).value;
    },
  };
}

/** Clients require an object at the top level, which a union of objects does not state. */
const objectSchema = (schema: Tool['output']): Tool['output'] => ({ ...schema, type: 'object' });
