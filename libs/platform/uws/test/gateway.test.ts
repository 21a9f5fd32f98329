import { Controller, Get, Injectable, UseGuards } from '@nestjs/common';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { OPCODE, RawSocketClient } from '@carillon/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type HttpRequest,
  messageHandlers,
  type NativeGateway,
  type Socket,
  type UpgradeDecision,
} from '../src/index.js';
import { startApp } from './app.js';

type Handler = (socket: Socket<string>, text: string) => void;

class Base {
  @SubscribeMessage('echo')
  echo(socket: Socket<string>, text: string): void {
    socket.send(`${socket.state}: ${text}`);
  }
}

@Injectable()
@WebSocketGateway({ path: '/rooms/:room' })
class Rooms extends Base implements NativeGateway<string> {
  readonly events: string[] = [];
  readonly #handlers = messageHandlers<Handler>(this);

  upgrade(request: HttpRequest): UpgradeDecision<string> {
    return { accept: request.params['room'] ?? '' };
  }

  handleConnection(socket: Socket<string>): void {
    this.events.push(`open ${socket.state}`);
  }

  message(socket: Socket<string>, data: ArrayBuffer): void {
    const [message, text = ''] = Buffer.from(data).toString().split(' ');
    this.#handlers.get(message)?.(socket, text);
  }

  @SubscribeMessage('shout')
  shout(socket: Socket<string>, text: string): void {
    this.#say(socket, text.toUpperCase());
  }

  #say(socket: Socket<string>, text: string): void {
    socket.send(text);
  }

  handleDisconnect(socket: Socket<string>, code: number): void {
    this.events.push(`close ${socket.state} ${code}`);
  }
}

@WebSocketGateway({ path: '/' })
class BesidePage implements NativeGateway<null> {
  readonly isBesidePage = true;

  upgrade(): UpgradeDecision<null> {
    return { accept: null };
  }

  message(socket: Socket<null>, data: ArrayBuffer): void {
    socket.send(Buffer.from(data).toString());
  }
}

@Controller()
class Page {
  @Get('/')
  page(): string {
    return 'the page';
  }
}

class Twice {
  @SubscribeMessage('echo')
  first(): void {}

  @SubscribeMessage('echo')
  second(): void {}
}

class Guarded {
  @UseGuards(class {})
  @SubscribeMessage('echo')
  echo(): void {}
}

class Decorated {
  @SubscribeMessage('echo')
  echo(@MessageBody() _text: string): void {}
}

@WebSocketGateway({ path: '/rooms', namespace: 'rooms' })
class Namespaced implements NativeGateway<null> {
  upgrade(): UpgradeDecision<null> {
    return { accept: null };
  }

  message(): void {}
}

@WebSocketGateway(81)
class OfPort extends Namespaced {}

describe('@WebSocketGateway', () => {
  it('calls the subscribed methods of the class and of its base, and the lifecycle hooks', async () => {
    const started = await startApp({ metadata: { providers: [Rooms] } });
    onTestFinished(() => started.close());
    const client = await RawSocketClient.open(started.port, '/rooms/hall');
    client.sendText('shout hello');
    expect(await client.nextText()).toBe('HELLO');
    client.sendText('none hello');
    client.sendText('echo hello');
    expect(await client.nextText()).toBe('hall: hello');
    client.sendFrame(OPCODE.close, Buffer.from([0x03, 0xe8]));
    await client.closeCode();
    expect(started.app.get(Rooms).events).toEqual(['open hall', 'close hall 1000']);
  });

  it('answers plain requests with the page of its path when it is beside one', async () => {
    const started = await startApp({ metadata: { controllers: [Page], providers: [BesidePage] } });
    onTestFinished(() => started.close());
    expect(await (await fetch(`http://127.0.0.1:${started.port}/`)).text()).toBe('the page');
    const client = await RawSocketClient.open(started.port, '/');
    client.sendText('hello');
    expect(await client.nextText()).toBe('hello');
  });

  it.each([
    [Namespaced, 'options without effect: namespace'],
    [OfPort, 'no path'],
  ])('fails the start when its options have no effect or no path: %o', async (gateway, text) => {
    await expect(startApp({ metadata: { providers: [gateway] } })).rejects.toThrow(text);
  });
});

describe('messageHandlers', () => {
  it.each([
    [Twice, 'Twice.second handles echo, as another method does'],
    [Guarded, 'Guarded.echo has guards'],
    [Decorated, 'Decorated.echo has parameter decorators'],
  ])('throws when a message is handled twice or a decorator is not supported: %o', (gateway, text) => {
    expect(() => messageHandlers(new gateway())).toThrow(text);
  });
});
