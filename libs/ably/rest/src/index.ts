export { CompatApiModule } from './module.js';
