/** Which of the deployables is asking; decides the default role and what has to be shared. */
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
