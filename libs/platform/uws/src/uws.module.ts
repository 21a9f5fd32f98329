import { Module } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule } from '@nestjs/core';
import { ServiceErrorFilter } from './http/service-error-filter.js';
import { SocketGateways } from './sockets/gateway.js';

/** Module of an application on this platform: the error body and socket gateways. */
@Module({
  imports: [DiscoveryModule],
  providers: [SocketGateways, { provide: APP_FILTER, useClass: ServiceErrorFilter }],
})
export class UwsModule {}
