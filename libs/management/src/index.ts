export { type Scope } from './auth/principals.js';
export { type Call } from './http/call.js';
export { type Reply } from './http/reply.js';
export { ManagementModule } from './module.js';
export { type ManagementParts } from './parts.js';
export { type Route } from './routes/route.js';
export { ROUTES } from './routes/table.js';
