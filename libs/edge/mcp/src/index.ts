export { McpModule } from './module.js';
export { type McpParts, McpServer } from './server.js';
