export { gateway } from './app.js';
