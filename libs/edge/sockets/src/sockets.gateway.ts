import {
  SocketGateway,
  type HttpRequest,
  type Socket,
  type SocketHandlers,
  type SocketOptions,
  type UpgradeDecision,
} from '@carillon/uws';
import { token } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { Arrival } from './entrance/arrival.js';
import type { Sockets } from './sockets.js';

export const SOCKETS = token<Sockets>('sockets');

/** The upgrade route. */
@Injectable()
@SocketGateway('/app/:appKey')
export class SocketsGateway implements SocketHandlers<Arrival> {
  constructor(@Inject(SOCKETS) private readonly sockets: Sockets) {}

  get socketOptions(): SocketOptions {
    return this.sockets.options;
  }

  upgrade(request: HttpRequest): UpgradeDecision<Arrival> | Promise<UpgradeDecision<Arrival>> {
    return this.sockets.upgrade(request);
  }

  open(socket: Socket<Arrival>): void {
    this.sockets.open(socket);
  }

  message(socket: Socket<Arrival>, data: ArrayBuffer): void {
    this.sockets.message(socket, data);
  }

  ping(socket: Socket<Arrival>): void {
    this.sockets.active(socket);
  }

  pong(socket: Socket<Arrival>): void {
    this.sockets.active(socket);
  }

  drain(socket: Socket<Arrival>): void {
    this.sockets.drained(socket);
  }

  dropped(socket: Socket<Arrival>): void {
    this.sockets.dropped(socket);
  }

  close(socket: Socket<Arrival>, code: number): void {
    this.sockets.closed(socket, code);
  }
}
