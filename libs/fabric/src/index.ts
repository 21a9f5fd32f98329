export { type LiveEvent } from './live-event.js';
export { type Fabric, type FabricListener, type Gathered } from './port.js';
export { type Answer, type Question } from './question.js';
