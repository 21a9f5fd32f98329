import type { PushRouteName } from '@carillon/push';
import type { Scope } from '../guards/principals.js';
import type { Hints } from './tool.js';

/** Where a tool of push comes from, and what its description does not tell. */
export interface PushRow {
  readonly operation: PushRouteName;
  readonly scope: Scope;
  readonly hints?: Hints;
  /** Its result holds what devices and callers wrote. */
  readonly isUntrusted?: true;
}

const I = { idempotent: true } as const;
const DI = { destructive: true, idempotent: true } as const;
const W = { openWorld: true } as const;

/** Every tool of push. One more is a row more. */
export const PUSH_ROWS: Readonly<Record<string, PushRow>> = {
  put_push_credential: { operation: 'putPushCredential', scope: 'admin', hints: I },
  list_push_credentials: { operation: 'listPushCredentials', scope: 'admin' },
  put_push_template: { operation: 'putPushTemplate', scope: 'write', hints: I },
  list_push_templates: { operation: 'listPushTemplates', scope: 'read', isUntrusted: true },
  get_push_template: { operation: 'findPushTemplate', scope: 'read', isUntrusted: true },
  delete_push_template: { operation: 'removePushTemplate', scope: 'write', hints: DI },
  put_push_device: { operation: 'registerPushDevice', scope: 'write', hints: I, isUntrusted: true },
  list_push_devices: { operation: 'listPushDevices', scope: 'read', isUntrusted: true },
  get_push_device: { operation: 'findPushDevice', scope: 'read', isUntrusted: true },
  delete_push_device: { operation: 'removePushDevice', scope: 'write', hints: DI },
  delete_push_devices: { operation: 'removePushDevices', scope: 'admin', hints: DI },
  put_push_subscription: { operation: 'putPushSubscription', scope: 'write', hints: I },
  list_push_subscriptions: { operation: 'listPushSubscriptions', scope: 'read', isUntrusted: true },
  delete_push_subscriptions: { operation: 'removePushSubscriptions', scope: 'write', hints: DI },
  list_push_channels: { operation: 'listPushChannels', scope: 'read', isUntrusted: true },
  publish_push: { operation: 'publishPush', scope: 'write', hints: W },
  publish_push_batch: { operation: 'publishPushBatch', scope: 'write', hints: W },
  get_push_publish_status: { operation: 'pushStatus', scope: 'read' },
  cancel_scheduled_push: { operation: 'cancelPush', scope: 'write', hints: DI },
  list_push_dead_letters: { operation: 'listPushDeadLetters', scope: 'read', isUntrusted: true },
  replay_push_dead_letter: { operation: 'replayPushDeadLetter', scope: 'admin', hints: W },
  report_push_delivery_status: { operation: 'reportPushDelivery', scope: 'admin', hints: I },
};
