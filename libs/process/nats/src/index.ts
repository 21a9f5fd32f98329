export { type NatsAnswer } from './answer.js';
export { Connection, type ConnectionParts, type Hearing } from './connection.js';
export { type Delivery } from './delivery.js';
export { NatsDialer, type DialerOptions } from './dialer.js';
export { type NatsEvent } from './nats-event.js';
export { placeOf, type Place } from './places.js';
