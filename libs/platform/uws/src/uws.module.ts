import { Module } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule } from '@nestjs/core';
import { ServiceErrorFilter } from './http/service-error-filter.js';
import { SocketGateways } from './sockets/gateway.js';

/** What an application on this platform imports once: the one error body, and its socket gateways. */
@Module({
  imports: [DiscoveryModule],
  providers: [SocketGateways, { provide: APP_FILTER, useClass: ServiceErrorFilter }],
})
export class UwsModule {}
