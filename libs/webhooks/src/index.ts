export { JsonText, type WebhookEvent } from './events/event.js';
