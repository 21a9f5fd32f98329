import { describe, expect, it } from 'vitest';
import { deliveredExtras, loadWireFormat, readExtras, readRequestV2, WireNames } from '../src/index.js';

const acme = new WireNames('acme');
const service = new WireNames('service');

describe("another vendor's word", () => {
  it('is in every name of the protocol, and in none of protocol 1', () => {
    expect(acme.toWire('service:error')).toBe('acme:error');
    expect(acme.toWire('pusher_internal:member_added')).toBe('acme_internal:member_added');
    expect(acme.toWire('order.paid')).toBe('order.paid');
    expect(acme.claims).toEqual({ clientId: 'x-acme-client-id', capability: 'x-acme-capability' });
    expect(acme.httpHeader('push-capability')).toBe('x-acme-push-capability');
  });

  it('is understood from clients, and protocol 1 names too', async () => {
    const { decode } = await loadWireFormat('json', acme);
    const kind = (event: string) => readRequestV2(decode(JSON.stringify({ event })), acme).kind;
    expect(['acme:ping', 'pusher:ping', 'service:ping', 'acme_internal:ping'].map(kind)).toEqual([
      'ping',
      'ping',
      'ignored',
      'ignored',
    ]);
    expect(acme.fromWire('acme:message.update')).toBe('service:message.update');
  });

  it.each(['json', 'messagepack', 'protobuf'] as const)(
    'is in the headers that the service sets, in %s',
    async (name) => {
      const format = await loadWireFormat(name, acme);
      const extrasText =
        '{"headers":{"service_action":"message.update","service_rollup_from_serial":2,"mine":1,"x-service-y":"theirs"}}';
      const text = Buffer.from(format.encode({ event: 'service:message.update', extrasText })).toString(
        'latin1',
      );
      expect(text).toContain('acme_action');
      expect(text).toContain('acme_rollup_from_serial');
      expect(text).toContain('x-service-y');
      expect(text).not.toContain('service_action');
      expect(text).toContain('acme:message.update');
    },
  );
});

describe('extras that are delivered', () => {
  const rules = { ephemeralEnabled: true, echoControlEnabled: true, names: service };
  it('are as written, without what is for the service', () => {
    expect(deliveredExtras('{"idempotencyKey":"k","push":{},"ref":1.50,"x":{ "y":1}}', rules)).toBe(
      '{"ref":1.50,"x":{ "y":1}}',
    );
    expect(deliveredExtras('{"push":{}}', rules)).toBeNull();
    expect(deliveredExtras('{"headers":{"service_action":"x"}}', rules)).toBeNull();
    expect(deliveredExtras('{"headers":{"acme_action":"x","a":1}}', { ...rules, names: acme })).toBe(
      '{"headers":{"a":1}}',
    );
  });

  it('leave out what is switched off', () => {
    const text = '{"ephemeral":true,"echo":false,"ref":1}';
    expect(deliveredExtras(text, { ...rules, ephemeralEnabled: false })).toBe('{"echo":false,"ref":1}');
    expect(deliveredExtras(text, { ...rules, echoControlEnabled: false })).toBe('{"ephemeral":true,"ref":1}');
  });

  it('are read, or told what is wrong with them', () => {
    expect(readExtras('{"headers":{"a":1},"ephemeral":true,"echo":false,"idempotencyKey":"k"}')).toEqual({
      headersText: '{"a":1}',
      ephemeral: true,
      echo: false,
      idempotencyKey: 'k',
    });
    for (const wrong of [
      '[]',
      '{"headers":{"a":{}}}',
      '{"headers":[]}',
      '{"echo":1}',
      '{"idempotencyKey":1}',
    ]) {
      expect(readExtras(wrong)).toHaveProperty('problem');
    }
  });
});
