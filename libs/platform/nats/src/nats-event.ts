/** Event of the connection, as labelled in its metric. */
export type NatsEvent =
  | 'client_error'
  | 'closed'
  | 'connected'
  | 'disconnected'
  | 'lame_duck'
  | 'max_reconnects'
  | 'server_error'
  | 'slow_consumer';
