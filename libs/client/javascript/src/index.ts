export { type BackoffOptions } from './backoff.js';
