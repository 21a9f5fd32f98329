import type { DESCRIPTIONS } from '@carillon/api-operations';
import type { Scope } from '../guards/principals.js';
import type { Hints, ListMember } from './tool.js';

/** The operation behind a tool, with everything that its own description does not define. */
export interface OperationRow {
  readonly operation: keyof typeof DESCRIPTIONS;
  readonly scope: Scope;
  /** Effect of the tool and when to use it, written for a model. */
  readonly use: string;
  readonly hints?: Hints;
  /** Member of the result that is cut into pages by the name of its entries; absent: the operation has pages or one item. */
  readonly list?: ListMember;
  /** The result contains published data or names of users. */
  readonly isUntrusted?: true;
}

const D = { destructive: true } as const;
const DI = { destructive: true, idempotent: true } as const;

/** Tools backed by an operation. A new tool is a new row; everything else comes from its description. */
export const OPERATION_ROWS: Readonly<Record<string, OperationRow>> = {
  publish_event: {
    operation: 'publishEvent',
    scope: 'write',
    use: 'Publishes one event to one or more channels. Use it to send a message to subscribers.',
  },
  publish_batch: {
    operation: 'publishBatch',
    scope: 'write',
    use: 'Publishes several independent events. Use it instead of repeated publish_event.',
  },
  list_channels: {
    operation: 'listChannels',
    scope: 'read',
    use: 'Lists channels with subscribers. Use it to find channel names.',
    list: { member: 'channels' },
    isUntrusted: true,
  },
  get_channel: {
    operation: 'channelState',
    scope: 'read',
    use: 'Returns whether a channel has subscribers, and counts. Use it when the name is known.',
    isUntrusted: true,
  },
  list_presence_members: {
    operation: 'channelUsers',
    scope: 'read',
    use: 'Lists the users now in a presence channel. For a past moment use get_presence_snapshot.',
    list: { member: 'users', name: 'id' },
    isUntrusted: true,
  },
  get_channel_history: {
    operation: 'readHistory',
    scope: 'read',
    use: 'Reads stored events of a channel in pages. Use it to see what was published.',
    isUntrusted: true,
  },
  get_channel_history_state: {
    operation: 'historyState',
    scope: 'read',
    use: 'Returns health, serials and size of a history, without events. Use it before a reset or purge.',
  },
  reset_channel_history: {
    operation: 'resetHistory',
    scope: 'admin',
    use: 'Deletes a whole history and starts a new stream. Use it only if an operator asks.',
    hints: D,
  },
  purge_channel_history: {
    operation: 'purgeHistory',
    scope: 'admin',
    use: 'Deletes old events; stream and serials continue. Use it only if an operator asks.',
    hints: DI,
  },
  get_message: {
    operation: 'readMessage',
    scope: 'read',
    use: 'Returns the latest version of a message. Use it before an edit.',
    isUntrusted: true,
  },
  list_message_versions: {
    operation: 'listVersions',
    scope: 'read',
    use: 'Lists the stored versions of a message. Use it to see how it changed.',
    isUntrusted: true,
  },
  update_message: {
    operation: 'updateMessage',
    scope: 'write',
    use: 'Replaces the given fields of a message. Use it to correct a published message.',
    hints: D,
  },
  delete_message: {
    operation: 'deleteMessage',
    scope: 'write',
    use: 'Marks a message as deleted; versions stay. Use it to withdraw a published message.',
    hints: DI,
  },
  append_to_message: {
    operation: 'appendMessage',
    scope: 'write',
    use: 'Appends text to the data of a message. Use it to stream text into one message.',
  },
  list_annotations: {
    operation: 'listAnnotations',
    scope: 'read',
    use: 'Lists annotations of a message in pages. Use it to see single reactions.',
    isUntrusted: true,
  },
  publish_annotation: {
    operation: 'annotateMessage',
    scope: 'write',
    use: 'Adds an annotation to a message. Use it for reactions and votes; every call counts again.',
  },
  delete_annotation: {
    operation: 'deleteAnnotation',
    scope: 'write',
    use: 'Deletes one annotation. Use it to withdraw a reaction.',
    hints: DI,
  },
  get_presence_history: {
    operation: 'readPresenceHistory',
    scope: 'read',
    use: 'Reads joins, updates and leaves in pages. Use it to see who came and left.',
    isUntrusted: true,
  },
  get_presence_history_state: {
    operation: 'presenceHistoryState',
    scope: 'read',
    use: 'Returns health, serials and size of a presence history. Use it when reads fail.',
  },
  get_presence_snapshot: {
    operation: 'presenceSnapshot',
    scope: 'read',
    use: 'Returns the members of a presence channel at a past time. For now use list_presence_members.',
    list: { member: 'members', name: 'user_id' },
    isUntrusted: true,
  },
  reset_presence_history: {
    operation: 'resetPresenceHistory',
    scope: 'admin',
    use: 'Deletes a whole presence history and starts a new stream. Use it only if an operator asks.',
    hints: D,
  },
  terminate_user_connections: {
    operation: 'terminateConnections',
    scope: 'admin',
    use: 'Closes all connections of a user for good. Use it to log a user out.',
    hints: DI,
  },
  force_user_reconnect: {
    operation: 'forceReconnect',
    scope: 'admin',
    use: 'Closes all connections of a user; clients reconnect. Use it after a change of rights.',
    hints: D,
  },
  revoke_tokens: {
    operation: 'revokeTokens',
    scope: 'admin',
    use: 'Revokes a token, or all of a client, and closes the connections. Use it for leaked tokens.',
    hints: DI,
  },
};
