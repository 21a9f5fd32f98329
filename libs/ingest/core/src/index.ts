export { type CommandResult, runIngestCommand } from './command.js';
export { IngestModule } from './module.js';
