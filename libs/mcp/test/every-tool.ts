import { DESCRIPTIONS, type Operations } from '@carillon/api-operations';
import type { PushOperations } from '@carillon/push-core';
import { operationTools } from '../src/tools/operation-tools.js';
import { pushTools } from '../src/tools/push-tools.js';
import { serviceTools, type ServiceParts } from '../src/tools/service-tools.js';
import type { Tool } from '../src/tools/tool.js';

/** Every tool of a process that offers everything. None of them can be called. */
export function everyTool(): readonly Tool[] {
  const described = Object.entries(DESCRIPTIONS).map(([name, description]) => [name, { description }]);
  const operations = { live: null, ...Object.fromEntries(described) } as unknown as Operations;
  return [
    ...serviceTools({} as ServiceParts),
    ...operationTools(operations),
    ...pushTools({} as PushOperations),
  ];
}
