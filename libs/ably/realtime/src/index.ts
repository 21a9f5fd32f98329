export { CompatModule } from './module.js';
