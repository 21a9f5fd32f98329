export { WebhookDeliveryModule } from './delivery.module.js';
export { entryKeys } from './delivery/entry-key.js';
export { LastAnswers, type ReceiverAnswers } from './delivery/last-answers.js';
export { deliverTest, type TestOutcome } from './test-delivery.js';
export { WEBHOOK_TRANSPORT } from './delivery/tokens.js';
export { type NamespaceOf } from './delivery/entry-filter.js';
export { WEBHOOK_EVENTS, WebhookEventsModule } from './events.module.js';
export { dataOf, JsonText, type WebhookEvent, type WebhookEventMembers } from './events/event.js';
export { NO_WEBHOOKS, type Attendance, type PlaceChange, type WebhookEvents } from './port.js';
