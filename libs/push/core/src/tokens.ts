import type { PushProviders } from '@carillon/push-providers';
import type { QueueTransport } from '@carillon/queue';
import { token } from '@carillon/runtime';
import type { PushChannels } from './channels.js';
import type { PushOperations } from './operations/push-operations.js';
import type { PushParts } from './parts.js';
import type { PushService } from './service.js';
import type { PushWorker } from './worker.js';

/** Token of the push service. */
export const PUSH = token<PushService>('push');
/** Token of the operations for transports. */
export const PUSH_OPERATIONS = token<PushOperations>('push operations');
export const PUSH_PARTS = token<PushParts>('push parts');
export const PUSH_WORKER = token<PushWorker>('push worker');
export const PUSH_CHANNELS = token<PushChannels>('push channels');
/** Token, and id, of the transport that brings work of push to its handlers. */
export const PUSH_TRANSPORT = token<QueueTransport>('push transport');
/** To be given by tests instead of the configured ones. */
export const PUSH_PROVIDERS_TOKEN = token<PushProviders>('push providers');
