export { LivePublisher, type LivePublisherParts } from './live-publisher.js';
export { LAST_EVENTS, PUBLISHER, PublishingModule } from './module.js';
export { type LastEvent, type LastEvents, type Publisher } from './port.js';
export { type Publication, type Receipt } from './publication.js';
export { StoredLastEvents, type StoredLastEventsParts } from './stored-last-events.js';
