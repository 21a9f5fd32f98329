import type { DESCRIPTIONS } from '@carillon/operations';
import type { Scope } from '../guards/principals.js';
import type { Hints } from './tool.js';

/** Where a tool comes from: an operation, and what its description does not tell. */
export interface OperationRow {
  readonly operation: keyof typeof DESCRIPTIONS;
  readonly scope: Scope;
  readonly hints?: Hints;
  /** Its result holds what was published, or what people are called. */
  readonly isUntrusted?: true;
}

const D = { destructive: true } as const;
const DI = { destructive: true, idempotent: true } as const;

/** Every tool that is an operation. One more is a row more; all else it says of itself. */
export const OPERATION_ROWS: Readonly<Record<string, OperationRow>> = {
  publish_event: { operation: 'publishEvent', scope: 'write' },
  publish_batch: { operation: 'publishBatch', scope: 'write' },
  list_channels: { operation: 'listChannels', scope: 'read', isUntrusted: true },
  get_channel: { operation: 'channelState', scope: 'read', isUntrusted: true },
  list_presence_members: { operation: 'channelUsers', scope: 'read', isUntrusted: true },
  get_channel_history: { operation: 'readHistory', scope: 'read', isUntrusted: true },
  get_channel_history_state: { operation: 'historyState', scope: 'read' },
  reset_channel_history: { operation: 'resetHistory', scope: 'admin', hints: D },
  purge_channel_history: { operation: 'purgeHistory', scope: 'admin', hints: DI },
  get_message: { operation: 'readMessage', scope: 'read', isUntrusted: true },
  list_message_versions: { operation: 'listVersions', scope: 'read', isUntrusted: true },
  update_message: { operation: 'updateMessage', scope: 'write', hints: D },
  delete_message: { operation: 'deleteMessage', scope: 'write', hints: DI },
  append_to_message: { operation: 'appendMessage', scope: 'write' },
  list_annotations: { operation: 'listAnnotations', scope: 'read', isUntrusted: true },
  publish_annotation: { operation: 'annotateMessage', scope: 'write' },
  delete_annotation: { operation: 'deleteAnnotation', scope: 'write', hints: DI },
  get_presence_history: { operation: 'readPresenceHistory', scope: 'read', isUntrusted: true },
  get_presence_history_state: { operation: 'presenceHistoryState', scope: 'read' },
  get_presence_snapshot: { operation: 'presenceSnapshot', scope: 'read', isUntrusted: true },
  reset_presence_history: { operation: 'resetPresenceHistory', scope: 'admin', hints: D },
  terminate_user_connections: { operation: 'terminateConnections', scope: 'admin', hints: DI },
  force_user_reconnect: { operation: 'forceReconnect', scope: 'admin', hints: D },
  revoke_tokens: { operation: 'revokeTokens', scope: 'admin', hints: DI },
};
