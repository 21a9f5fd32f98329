export { PushApiModule } from './module.js';
