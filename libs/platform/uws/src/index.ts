export { clientAddress, type ForwardingHeaders, rateLimitSubject } from './client-address.js';
export { type AdapterOptions, UwsHttpAdapter } from './http/adapter.js';
export { type Answer, errorAnswer } from './http/answer.js';
export { type CorsOptions, EXPOSED_HEADERS } from './http/cors.js';
export type { ErrorWords, FinishedObserver } from './http/dispatcher.js';
export type { Entrance } from './http/routes.js';
export type { AfterBody, Endpoint, EndpointBody } from './http/endpoint.js';
export type { EventStream } from './http/event-stream.js';
export type { StreamedBody } from './http/streamed-body.js';
export type { ResponseStream, ResponseStreamObserver } from './http/response-stream.js';
export type { Handler, Next } from './http/middleware.js';
export { parseQuery } from './http/query.js';
export { HttpRequest, type RequestHeaders } from './http/request.js';
export { HttpResponse } from './http/response.js';
export { normalizeAddress } from './ip-address.js';
export { type NativeBinary, nativeBinary } from './native.js';
export { ListenError } from './server/listen-error.js';
export { listenForRedirect, type RedirectOptions } from './server/redirect.js';
export type { TlsFiles } from './server/tls.js';
export type { UnixSocketPlace } from './server/unix-socket.js';
export { type ListenAddress, type ServerOptions, type TcpPlace, UwsServer } from './server/uws-server.js';
export { type CompressionName } from './sockets/compression.js';
export {
  messageHandlers,
  type NativeGateway,
  nativeHandlers,
  NativeWebSocketAdapter,
} from './sockets/gateway.js';
export type { SocketHandlers, SocketOptions, UpgradeDecision } from './sockets/handlers.js';
export { type SendOutcome, Socket } from './sockets/socket.js';
export type { Message } from './text.js';
export { UwsModule } from './uws.module.js';
