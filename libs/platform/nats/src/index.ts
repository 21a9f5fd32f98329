export { type NatsAnswer } from './answer.js';
export { type Client, Connection, type Heard, type Hearing, textOf } from './connection.js';
export { NatsDialer, type DialerOptions } from './dialer.js';
export { type NatsEvent } from './nats-event.js';
