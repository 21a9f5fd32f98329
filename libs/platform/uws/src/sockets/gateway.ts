import { Inject, Injectable, type OnModuleInit, type WebSocketAdapter } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { DiscoveryService, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import {
  GATEWAY_METADATA,
  GATEWAY_OPTIONS,
  MESSAGE_MAPPING_METADATA,
  MESSAGE_METADATA,
} from '@nestjs/websockets/constants.js';
import type { OnGatewayConnection } from '@nestjs/websockets';
import { UwsHttpAdapter } from '../http/adapter.js';
import type { SocketHandlers } from './handlers.js';
import type { Socket } from './socket.js';

/**
 * A class decorated with `@WebSocketGateway({ path })`. The native events reach it directly; `message` decodes a frame and
 * looks up its handler in {@link messageHandlers}. Nest creates the class and injects its dependencies, and is not involved
 * afterwards: there is no RxJS stream and no promise per frame, and nothing is allocated per connection.
 */
export interface NativeGateway<State>
  extends Partial<OnGatewayConnection<Socket<State>>>, Omit<SocketHandlers<State>, 'close' | 'open'> {
  /** Whether the path has a page too, which answers plain requests. Absent: no; they are answered 426. */
  readonly isBesidePage?: boolean;
  handleConnection?(socket: Socket<State>): void;
  /** `code` 1006: the connection ended without a close frame. */
  handleDisconnect?(socket: Socket<State>, code: number, reason: ArrayBuffer): void;
}

/** Nest runs these around a handler, with a promise for each message. */
const UNSUPPORTED = [
  GUARDS_METADATA,
  PIPES_METADATA,
  INTERCEPTORS_METADATA,
  EXCEPTION_FILTERS_METADATA,
] as const;

/**
 * Returns the methods decorated with `@SubscribeMessage`, bound to the gateway, by message. Reads the metadata once, so
 * call it in the constructor.
 *
 * @throws Error if two methods handle one message, or a decorator is used that native sockets do not support: guards,
 * pipes, interceptors, exception filters, parameter decorators
 */
export function messageHandlers<Handler extends (...args: never[]) => void>(
  gateway: object,
): ReadonlyMap<unknown, Handler> {
  const prototype: object = Object.getPrototypeOf(gateway);
  const handlers = new Map<unknown, Handler>();
  refuseUnsupported(prototype.constructor, prototype.constructor.name);
  for (const name of new MetadataScanner().getAllMethodNames(prototype)) {
    const method = Reflect.get(gateway, name) as Handler;
    if (Reflect.getMetadata(MESSAGE_MAPPING_METADATA, method) === undefined) continue;
    const message: unknown = Reflect.getMetadata(MESSAGE_METADATA, method);
    const place = `${prototype.constructor.name}.${name}`;
    refuseUnsupported(method, place);
    if (Reflect.hasMetadata(ROUTE_ARGS_METADATA, prototype.constructor, name))
      throw new Error(`${place} has parameter decorators, which native sockets do not support: remove them`);
    if (handlers.has(message)) throw new Error(`${place} handles ${String(message)}, as another method does`);
    handlers.set(message, method.bind(gateway) as Handler);
  }
  return handlers;
}

function refuseUnsupported(target: object, place: string): void {
  const found = UNSUPPORTED.filter((key) => Reflect.hasMetadata(key, target));
  if (found.length === 0) return;
  const names = found.map((key) => key.replaceAll('_', '')).join(', ');
  throw new Error(`${place} has ${names}, which native sockets do not support: remove them`);
}

/** Registers the providers decorated with `@WebSocketGateway` once they are created. */
@Injectable()
export class SocketGateways implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const adapter: unknown = this.host.httpAdapter;
    for (const { metatype, instance } of this.discovery.getProviders()) {
      if (typeof metatype !== 'function' || !Reflect.hasMetadata(GATEWAY_METADATA, metatype)) continue;
      if (!(adapter instanceof UwsHttpAdapter)) throw new Error('socket gateways need the uws platform');
      const gateway = instance as NativeGateway<unknown>;
      adapter.socketRoute(pathOf(metatype), nativeHandlers(gateway), gateway.isBesidePage);
    }
  }
}

function pathOf(gateway: { readonly name: string }): string {
  const { path, ...others }: { path?: string } = Reflect.getMetadata(GATEWAY_OPTIONS, gateway) ?? {};
  const unsupported = Object.keys(others);
  if (path !== undefined && unsupported.length === 0) return path;
  const fault = path === undefined ? 'no path' : `options without effect: ${unsupported.join(', ')}`;
  throw new Error(`@WebSocketGateway of ${gateway.name} has ${fault}; it takes { path } alone`);
}

/** Returns the native handlers of a gateway. */
export function nativeHandlers<State>(gateway: NativeGateway<State>): SocketHandlers<State> {
  const { socketOptions, handleConnection, handleDisconnect, drain, ping, pong, dropped } = gateway;
  return {
    ...(socketOptions && { socketOptions }),
    upgrade: (request) => gateway.upgrade(request),
    ...(handleConnection && { open: (socket) => gateway.handleConnection?.(socket) }),
    message: (socket, data, isBinary) => gateway.message(socket, data, isBinary),
    ...(handleDisconnect && {
      close: (socket, code, reason) => gateway.handleDisconnect?.(socket, code, reason),
    }),
    ...(drain && { drain: (socket) => gateway.drain?.(socket) }),
    ...(ping && { ping: (socket, data) => gateway.ping?.(socket, data) }),
    ...(pong && { pong: (socket, data) => gateway.pong?.(socket, data) }),
    ...(dropped && {
      dropped: (socket, data, isBinary) => gateway.dropped?.(socket, data, isBinary),
    }),
  };
}

/**
 * Satisfies Nest, which requires a WebSocket adapter for gateways. Binds nothing: {@link SocketGateways} has
 * registered the gateways on the native server.
 */
export class NativeWebSocketAdapter implements WebSocketAdapter {
  create(): object {
    return {};
  }

  bindClientConnect(): void {}

  bindMessageHandlers(): void {}

  close(): void {}

  dispose(): void {}
}
