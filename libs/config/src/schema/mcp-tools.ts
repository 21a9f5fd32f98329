/** Every tool of the tool protocol by toolset: the unit in which `mcp.toolsets` lists tools. */
export const MCP_TOOLSETS = {
  service: ['list_apps', 'get_health', 'get_app_health', 'get_stats', 'get_memory_usage'],
  publish: ['publish_event', 'publish_batch'],
  channels: ['list_channels', 'get_channel', 'list_presence_members'],
  history: [
    'get_channel_history',
    'get_channel_history_state',
    'reset_channel_history',
    'purge_channel_history',
    'get_presence_history',
    'get_presence_history_state',
    'get_presence_snapshot',
    'reset_presence_history',
  ],
  messages: [
    'get_message',
    'list_message_versions',
    'update_message',
    'delete_message',
    'append_to_message',
    'list_annotations',
    'publish_annotation',
    'delete_annotation',
  ],
  connections: ['terminate_user_connections', 'force_user_reconnect', 'revoke_tokens'],
  push: [
    'publish_push',
    'publish_push_batch',
    'get_push_publish_status',
    'cancel_scheduled_push',
    'list_push_dead_letters',
    'put_push_device',
    'list_push_devices',
    'get_push_device',
    'delete_push_device',
    'put_push_subscription',
    'list_push_subscriptions',
    'delete_push_subscriptions',
    'list_push_channels',
  ],
  push_setup: [
    'put_push_credential',
    'list_push_credentials',
    'put_push_template',
    'list_push_templates',
    'get_push_template',
    'delete_push_template',
    'delete_push_devices',
    'replay_push_dead_letter',
    'report_push_delivery_status',
  ],
} as const;

/** Name of a group of tools. */
export type McpToolset = keyof typeof MCP_TOOLSETS;

/** The value of `mcp.toolsets` that selects every toolset. */
export const ALL_TOOLSETS = 'all';

/** Every tool of the tool protocol, so that a typing mistake cannot leave one on. */
export const MCP_TOOLS: readonly string[] = Object.values(MCP_TOOLSETS).flat();
