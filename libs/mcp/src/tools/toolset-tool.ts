import { MCP_TOOLSETS, type McpToolset } from '@carillon/config';
import type { Principal } from '../guards/principals.js';
import { inputOutline } from './outline.js';
import type { Tool } from './tool.js';

/** Name of the tool that lists the tools of a toolset and adds them to a session. */
const ENABLE_TOOLSET = 'enable_toolset';

/** Contents of the toolsets, written for a model. */
const CONTENTS: Readonly<Record<McpToolset, string>> = {
  service: 'apps and health',
  publish: 'publish events',
  channels: 'occupied channels and present users',
  history: 'stored events, presence history, reset and purge',
  messages: 'read, edit and annotate messages',
  connections: 'disconnect users, revoke tokens',
  push: 'notifications, devices, subscriptions',
  push_setup: 'push credentials, templates, replays',
};

export const toolsetNames = Object.keys(MCP_TOOLSETS) as readonly McpToolset[];

/** The toolset of a tool; null: the tool is in none, as `enable_toolset` itself. */
export const toolsetOf = (tool: string): McpToolset | null =>
  toolsetNames.find((toolset) => (MCP_TOOLSETS[toolset] as readonly string[]).includes(tool)) ?? null;

/** Adds a toolset to those that `tools/list` shows to a session. */
export type EnableToolset = (session: string, toolset: McpToolset) => Promise<void>;

/** The tool that makes the tools of `toolsets` available, which `tools/list` does not show. */
export function toolsetTool(
  toolsets: readonly McpToolset[],
  toolsOf: (toolset: McpToolset, principal: Principal) => readonly Tool[],
  enable: EnableToolset,
): Tool {
  const contents = toolsets.map((toolset) => `${toolset} (${CONTENTS[toolset]})`).join(', ');
  return {
    name: ENABLE_TOOLSET,
    description: `Adds more tools to this session and describes them. Use it when no listed tool fits. Toolsets: ${contents}.`,
    scope: null,
    hints: { idempotent: true },
    input: {
      type: 'object',
      properties: { toolset: { type: 'string', enum: toolsets, description: 'Toolset to add' } },
      required: ['toolset'],
      additionalProperties: false,
    },
    output: { type: 'object', required: ['toolset', 'tools'] },
    isOfApp: false,
    needsAllApps: false,
    isUntrusted: false,
    run: async ({ principal, session, given }) => {
      const toolset = toolsets.find((one) => one === given['toolset']);
      if (toolset === undefined) throw new Error('the toolset was checked against the schema');
      if (session !== null) await enable(session, toolset);
      return {
        toolset,
        tools: toolsOf(toolset, principal).map(({ name, description, input }) => ({
          name,
          description,
          inputSchema: inputOutline(name, input),
        })),
      };
    },
  };
}
