import type { PushRouteName } from '@carillon/push-core';
import type { Scope } from '../guards/principals.js';
import type { Hints } from './tool.js';

/** The push operation behind a tool, with everything that its own description does not define. */
export interface PushRow {
  readonly operation: PushRouteName;
  readonly scope: Scope;
  /** Effect of the tool and when to use it, written for a model. */
  readonly use: string;
  readonly hints?: Hints;
  /** The result contains data written by devices and callers. */
  readonly isUntrusted?: true;
}

const I = { idempotent: true } as const;
const DI = { destructive: true, idempotent: true } as const;
const W = { openWorld: true } as const;

/** Every tool of push. One more is a row more. */
export const PUSH_ROWS: Readonly<Record<string, PushRow>> = {
  put_push_credential: {
    operation: 'putPushCredential',
    scope: 'admin',
    use: 'Creates or replaces a provider credential. Use it at setup or when a secret changed.',
    hints: I,
  },
  list_push_credentials: {
    operation: 'listPushCredentials',
    scope: 'admin',
    use: 'Lists push credentials with secrets redacted. Use it to see which providers are set up.',
  },
  put_push_template: {
    operation: 'putPushTemplate',
    scope: 'write',
    use: 'Creates or replaces a localized text template. Use it before publish_push with templateId.',
    hints: I,
  },
  list_push_templates: {
    operation: 'listPushTemplates',
    scope: 'read',
    use: 'Lists push templates. Use it to find a templateId.',
    isUntrusted: true,
  },
  get_push_template: {
    operation: 'findPushTemplate',
    scope: 'read',
    use: 'Returns one push template. Use it before you change or use it.',
    isUntrusted: true,
  },
  delete_push_template: {
    operation: 'removePushTemplate',
    scope: 'write',
    use: 'Deletes a push template. Use it when no publish needs it.',
    hints: DI,
  },
  put_push_device: {
    operation: 'registerPushDevice',
    scope: 'write',
    use: 'Registers or updates a device. Use it when its address is known.',
    hints: I,
    isUntrusted: true,
  },
  list_push_devices: {
    operation: 'listPushDevices',
    scope: 'read',
    use: 'Lists registered devices. Use it to find the devices of a client.',
    isUntrusted: true,
  },
  get_push_device: {
    operation: 'findPushDevice',
    scope: 'read',
    use: 'Returns one device and its push state. Use it when a device gets no notifications.',
    isUntrusted: true,
  },
  delete_push_device: {
    operation: 'removePushDevice',
    scope: 'write',
    use: 'Deletes one device and its subscriptions. Use it for a device no longer in use.',
    hints: DI,
  },
  delete_push_devices: {
    operation: 'removePushDevices',
    scope: 'admin',
    use: 'Deletes all devices that match a filter. Use it to remove a client entirely.',
    hints: DI,
  },
  put_push_subscription: {
    operation: 'putPushSubscription',
    scope: 'write',
    use: 'Subscribes a device or client to a channel. Use it so that they get its notifications.',
    hints: I,
  },
  list_push_subscriptions: {
    operation: 'listPushSubscriptions',
    scope: 'read',
    use: 'Lists push subscriptions. Use it to see who gets notifications of a channel.',
    isUntrusted: true,
  },
  delete_push_subscriptions: {
    operation: 'removePushSubscriptions',
    scope: 'write',
    use: 'Deletes push subscriptions that match a filter. Use it to stop notifications.',
    hints: DI,
  },
  list_push_channels: {
    operation: 'listPushChannels',
    scope: 'read',
    use: 'Lists channels with push subscriptions. Use it to find channel names for push.',
    isUntrusted: true,
  },
  publish_push: {
    operation: 'publishPush',
    scope: 'write',
    use: 'Sends a notification now or at a time. Use it to reach users who are offline.',
    hints: W,
  },
  publish_push_batch: {
    operation: 'publishPushBatch',
    scope: 'write',
    use: 'Sends several different notifications. Use it instead of repeated publish_push.',
    hints: W,
  },
  get_push_publish_status: {
    operation: 'pushStatus',
    scope: 'read',
    use: 'Returns state and counters of a push publish. Use it after publish_push.',
  },
  cancel_scheduled_push: {
    operation: 'cancelPush',
    scope: 'write',
    use: 'Cancels a scheduled push publish. Use it before its time.',
    hints: DI,
  },
  list_push_dead_letters: {
    operation: 'listPushDeadLetters',
    scope: 'read',
    use: 'Lists failed deliveries. Use it to find why notifications did not arrive.',
    isUntrusted: true,
  },
  replay_push_dead_letter: {
    operation: 'replayPushDeadLetter',
    scope: 'admin',
    use: 'Sends one failed delivery again. Use it after its cause is fixed.',
    hints: W,
  },
  report_push_delivery_status: {
    operation: 'reportPushDelivery',
    scope: 'admin',
    use: 'Records a delivery outcome reported by a provider. Use it only to import receipts.',
    hints: I,
  },
};
