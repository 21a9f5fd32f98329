export { ChannelPublisher } from './channel-publisher.js';
export { type Commits } from './commits.js';
export { DurablePublisher, type DurablePublisherParts } from './durable-publisher.js';
export { LivePublisher, type LivePublisherParts } from './live-publisher.js';
export { COMMITS, LAST_EVENTS, PUBLISHER, PublishingModule } from './module.js';
export { type LastEvent, type LastEvents, type Publisher } from './port.js';
export { type KeptFor, type Publication, type PublicationKey, type Receipt } from './publication.js';
export { StoredLastEvents, type StoredLastEventsParts } from './stored-last-events.js';
