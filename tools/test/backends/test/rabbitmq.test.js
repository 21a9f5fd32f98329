import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { withWire } from '../src/wire/wire.js';
import { amqpOpen } from '../src/wire/amqp.js';

describe('rabbitmq', () => {
  it('introduces itself with connection.start', async () => {
    const rabbit = await engine('rabbitmq');
    const start = await withWire(rabbit, async (wire) => {
      wire.write('AMQP\0\0\t\u0001');
      const head = await wire.take(7);
      return wire.take(head.readUInt32BE(3));
    });
    expect([start.readUInt16BE(0), start.readUInt16BE(2)]).toEqual([10, 10]);
    expect(start.toString('latin1')).toContain('RabbitMQ');
  });

  it('opens a connection with the address it gives, and refuses a wrong password', async () => {
    const { url } = await engine('rabbitmq');
    await amqpOpen(url);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(amqpOpen(wrong.href)).rejects.toThrow('refuses the connection');
  });
});
