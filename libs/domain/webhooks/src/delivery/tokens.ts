/** Token of the `Delivery`; without a provider this process delivers nothing. */
export const WEBHOOK_DELIVERY = Symbol('webhook delivery');
/** Token, and id, of the transport that brings jobs of webhooks to their handler. */
export const WEBHOOK_TRANSPORT = Symbol('webhook transport');
