export { api } from './app.js';
