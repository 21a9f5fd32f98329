/** The deployable that loads the configuration. Determines the default role and the settings that must be shared. */
export type ProcessKind =
  | 'server'
  | 'gateway'
  | 'api'
  | 'webhook-worker'
  | 'push-planner'
  | 'push-dispatch'
  | 'push-feedback'
  | 'history-writer'
  | 'mcp-gateway'
  | 'ingest';
