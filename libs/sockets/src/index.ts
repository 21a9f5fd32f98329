export { type StreamReads } from './durable/stream-reads.js';
export { SocketsModule, STREAM_READS } from './sockets.module.js';
