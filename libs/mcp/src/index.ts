export { McpModule } from './module.js';
export { type McpParts } from './server.js';
