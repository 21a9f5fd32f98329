import type { QueueTransport } from '@carillon/queue';
import { token } from '@carillon/runtime';
import type { Delivery } from './delivery.js';

/** Token of the `Delivery`; without a provider this process delivers nothing. */
export const WEBHOOK_DELIVERY = token<Delivery>('webhook delivery');
/** Token, and id, of the transport that brings jobs of webhooks to their handler. */
export const WEBHOOK_TRANSPORT = token<QueueTransport>('webhook transport');
