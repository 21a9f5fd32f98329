export { type RateLimit, type RateRule, type RateVerdict } from './port.js';
