export { type IngestEvent, type IngestOperation } from './event.js';
export { type Abandoned, type Accepted, type Dead, type Outcome } from './outcome.js';
export { type EventSink, type IngestSource, type Lease, type MessageMap, type SourceStatus } from './port.js';
export { openIngestSource, type SourceConfig, type SourceParts } from './drivers.js';
export { MemorySource } from './drivers/memory/memory-source.js';
export { installOutbox, type OutboxInstallation, outboxSql } from './drivers/postgres/install.js';
