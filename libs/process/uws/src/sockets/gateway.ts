import { Inject, Injectable, type OnModuleInit, SetMetadata } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, Reflector } from '@nestjs/core';
import { UwsHttpAdapter } from '../http/adapter.js';
import type { SocketHandlers } from './handlers.js';

const PATH = 'carillon:socket-gateway';

/** Marks a provider that implements `SocketHandlers` as what answers the sockets of a path. */
export const SocketGateway = (path: string): ClassDecorator => SetMetadata(PATH, path);

/** Finds the providers marked with {@link SocketGateway} and registers them once they are made. */
@Injectable()
export class SocketGateways implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const adapter: unknown = this.host.httpAdapter;
    for (const { metatype, instance } of this.discovery.getProviders()) {
      if (typeof metatype !== 'function') continue;
      const path = this.reflector.get<string | undefined>(PATH, metatype);
      if (path === undefined) continue;
      if (!(adapter instanceof UwsHttpAdapter)) throw new Error('socket gateways need the uws platform');
      adapter.socketRoute(path, instance as SocketHandlers<unknown>);
    }
  }
}
