/** What happens to the connection, as the metric of it names it. */
export type NatsEvent =
  | 'client_error'
  | 'closed'
  | 'connected'
  | 'disconnected'
  | 'lame_duck'
  | 'max_reconnects'
  | 'server_error'
  | 'slow_consumer';
