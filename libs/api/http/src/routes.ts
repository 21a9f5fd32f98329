import { DESCRIPTIONS, type Description } from '@carillon/api-operations';

type OperationName = keyof typeof DESCRIPTIONS;

/** Method and path of an operation. */
export interface Place {
  readonly method: 'DELETE' | 'GET' | 'POST';
  /** Below `/apps/:appId`, with `:name` for a segment. */
  readonly path: string;
}

/** An operation and its route. */
export type Route = Place & { readonly operation: Description; readonly takesTokens: boolean };

const at = (method: Place['method'], path: string): Place => ({ method, path });
const HISTORY = '/channels/:channelName/history';
const MESSAGE = '/channels/:channelName/messages/:messageSerial';
const ANNOTATIONS = `${MESSAGE}/annotations`;
const PRESENCE_HISTORY = '/channels/:channelName/presence/history';

const PLACES: Readonly<Record<OperationName, Place>> = {
  publishEvent: at('POST', '/events'),
  publishBatch: at('POST', '/batch_events'),
  revokeTokens: at('POST', '/revocations'),
  readHistory: at('GET', HISTORY),
  historyState: at('GET', `${HISTORY}/state`),
  resetHistory: at('POST', `${HISTORY}/reset`),
  purgeHistory: at('POST', `${HISTORY}/purge`),
  readPresenceHistory: at('GET', PRESENCE_HISTORY),
  presenceHistoryState: at('GET', `${PRESENCE_HISTORY}/state`),
  presenceSnapshot: at('GET', `${PRESENCE_HISTORY}/snapshot`),
  resetPresenceHistory: at('POST', `${PRESENCE_HISTORY}/reset`),
  readMessage: at('GET', MESSAGE),
  listVersions: at('GET', `${MESSAGE}/versions`),
  updateMessage: at('POST', `${MESSAGE}/update`),
  deleteMessage: at('POST', `${MESSAGE}/delete`),
  appendMessage: at('POST', `${MESSAGE}/append`),
  annotateMessage: at('POST', ANNOTATIONS),
  listAnnotations: at('GET', ANNOTATIONS),
  deleteAnnotation: at('DELETE', `${ANNOTATIONS}/:annotationSerial`),
  listChannels: at('GET', '/channels'),
  channelState: at('GET', '/channels/:channelName'),
  channelUsers: at('GET', '/channels/:channelName/users'),
  terminateConnections: at('POST', '/users/:userId/terminate_connections'),
  forceReconnect: at('POST', '/users/:userId/force_reconnect'),
};

/** Operations that a capability token admits instead of a signature. */
const OF_TOKENS: ReadonlySet<string> = new Set<OperationName>([
  'readMessage',
  'listVersions',
  'updateMessage',
  'deleteMessage',
  'appendMessage',
  'annotateMessage',
  'listAnnotations',
  'deleteAnnotation',
]);

/** The routes of these operations, by name. */
export const routesOf = (descriptions: Readonly<Record<string, Description>>): Record<string, Route> =>
  Object.fromEntries(
    Object.entries(descriptions).map(([name, operation]) => [
      name,
      { ...PLACES[name as OperationName], operation, takesTokens: OF_TOKENS.has(name) },
    ]),
  );
