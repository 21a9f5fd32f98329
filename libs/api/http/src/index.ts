export { HttpApiModule } from './module.js';
