export { type LastEvent, type LastEvents, type Publisher } from './port.js';
export { type Publication, type Receipt } from './publication.js';
