import { ANNOTATE_MESSAGE, DELETE_ANNOTATION, LIST_ANNOTATIONS } from './messages/annotate-message.js';
import { APPEND_MESSAGE, DELETE_MESSAGE, UPDATE_MESSAGE } from './messages/mutate-message.js';
import { LIST_VERSIONS, READ_MESSAGE } from './messages/read-message.js';
import type { Description } from './describe/description.js';
import {
  PRESENCE_HISTORY_STATE,
  PRESENCE_SNAPSHOT,
  READ_PRESENCE_HISTORY,
} from './history/presence-history.js';
import { PURGE_HISTORY } from './history/purge-history.js';
import { HISTORY_STATE, READ_HISTORY } from './history/read-history.js';
import { RESET_HISTORY, RESET_PRESENCE_HISTORY } from './history/reset-history.js';
import { PUBLISH_BATCH } from './publish/batch.js';
import { PUBLISH_EVENT } from './publish/publish.js';
import { CHANNEL_STATE } from './state/channel-state.js';
import { CHANNEL_USERS } from './state/channel-users.js';
import { LIST_CHANNELS } from './state/list-channels.js';
import { REVOKE_TOKENS } from './tokens/revoke-tokens.js';
import { FORCE_RECONNECT, TERMINATE_CONNECTIONS } from './users/disconnect-user.js';

/** Operations of every process, by their names in generated clients. */
export const COMMON_DESCRIPTIONS = {
  publishEvent: PUBLISH_EVENT,
  publishBatch: PUBLISH_BATCH,
  revokeTokens: REVOKE_TOKENS,
  readHistory: READ_HISTORY,
  historyState: HISTORY_STATE,
  resetHistory: RESET_HISTORY,
  purgeHistory: PURGE_HISTORY,
  readPresenceHistory: READ_PRESENCE_HISTORY,
  presenceHistoryState: PRESENCE_HISTORY_STATE,
  presenceSnapshot: PRESENCE_SNAPSHOT,
  resetPresenceHistory: RESET_PRESENCE_HISTORY,
  readMessage: READ_MESSAGE,
  listVersions: LIST_VERSIONS,
  updateMessage: UPDATE_MESSAGE,
  deleteMessage: DELETE_MESSAGE,
  appendMessage: APPEND_MESSAGE,
  annotateMessage: ANNOTATE_MESSAGE,
  listAnnotations: LIST_ANNOTATIONS,
  deleteAnnotation: DELETE_ANNOTATION,
} as const satisfies Record<string, Description>;

/** Operations on live sockets, which role `api` lacks. */
export const LIVE_DESCRIPTIONS = {
  listChannels: LIST_CHANNELS,
  channelState: CHANNEL_STATE,
  channelUsers: CHANNEL_USERS,
  terminateConnections: TERMINATE_CONNECTIONS,
  forceReconnect: FORCE_RECONNECT,
} as const satisfies Record<string, Description>;

export const DESCRIPTIONS = { ...COMMON_DESCRIPTIONS, ...LIVE_DESCRIPTIONS };
