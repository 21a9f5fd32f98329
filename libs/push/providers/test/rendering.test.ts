import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidPayload, type Notification, CLOUDS, renderPayload } from '../src/index.js';
import { wnsBody } from '../src/rendering/bodies.js';

const NOTIFICATION: Notification = {
  title: 'Hi Ada',
  body: 'Order 42 is <ready>',
  icon: 'https://cdn.example/i.png',
  sound: 'ding',
  collapseKey: 'order 42',
  data: { id: '42', count: 2, none: null },
};

describe('the form of a notification for a provider', () => {
  it('is the one of its documentation', () => {
    const payloads = CLOUDS.map((provider) => renderPayload(provider, NOTIFICATION).payload);
    expect(payloads).toEqual([
      {
        message: {
          notification: { title: 'Hi Ada', body: 'Order 42 is <ready>', image: 'https://cdn.example/i.png' },
          data: { id: '42', count: '2' },
          android: { collapse_key: 'order 42', notification: { sound: 'ding' } },
        },
      },
      {
        headers: { 'apns-push-type': 'alert', 'apns-priority': '10', 'apns-collapse-id': 'order 42' },
        aps: { alert: { title: 'Hi Ada', body: 'Order 42 is <ready>' }, sound: 'ding' },
        data: { id: '42', count: 2, none: null },
      },
      {
        headers: { ttl: 2_419_200, urgency: 'normal', topic: expect.stringMatching(/^[A-Za-z0-9_-]{32}$/) },
        notification: { title: 'Hi Ada', body: 'Order 42 is <ready>', image: 'https://cdn.example/i.png' },
        data: { id: '42', count: 2, none: null },
      },
      {
        message: {
          notification: { title: 'Hi Ada', body: 'Order 42 is <ready>', image: 'https://cdn.example/i.png' },
          data: '{"id":"42","count":2,"none":null}',
          android: { notification: { click_action: { type: 3 }, sound: 'ding', tag: 'order 42' } },
        },
      },
      {
        type: 'toast',
        tag: expect.stringMatching(/^[0-9a-f]{16}$/),
        toast: {
          visual: {
            binding: {
              template: 'ToastGeneric',
              text: ['Hi Ada', 'Order 42 is <ready>'],
              image: 'https://cdn.example/i.png',
            },
          },
          audio: { src: 'ding' },
        },
        data: { id: '42', count: 2, none: null },
      },
    ]);
  });

  it('shows nothing when there is nothing but data', () => {
    const [fcm, apns, webpush, hms, wns] = CLOUDS.map(
      (provider) => renderPayload(provider, { data: { a: '1' } }).payload,
    );
    expect(fcm).toEqual({ message: { data: { a: '1' } } });
    expect(apns).toEqual({
      headers: { 'apns-push-type': 'background', 'apns-priority': '5' },
      aps: { 'content-available': 1 },
      data: { a: '1' },
    });
    expect(webpush).toEqual({ headers: { ttl: 2_419_200, urgency: 'normal' }, data: { a: '1' } });
    expect(hms).toEqual({ message: { data: '{"a":"1"}' } });
    expect(wns).toEqual({ type: 'raw', data: { a: '1' } });
  });

  it('is XML for WNS, in which nothing of the caller is markup', () => {
    const { payload } = renderPayload('wns', NOTIFICATION);
    expect(wnsBody(payload)).toBe(
      '<toast launch="{&quot;id&quot;:&quot;42&quot;,&quot;count&quot;:2,&quot;none&quot;:null}"><visual>' +
        '<binding template="ToastGeneric"><text>Hi Ada</text><text>Order 42 is &lt;ready&gt;</text>' +
        '<image placement="appLogoOverride" src="https://cdn.example/i.png"/></binding></visual>' +
        '<audio src="ding"/></toast>',
    );
  });

  it('holds every text of the caller or is refused', () => {
    assert(
      property(string({ minLength: 1 }), constantFrom(...CLOUDS), (text, provider) => {
        const { payload } = renderPayload(provider, { title: text, data: {} });
        expect(JSON.stringify(payload)).toContain(JSON.stringify(text));
      }),
    );
  });
});

const ofBytes = (bytes: number) => {
  const empty = JSON.stringify(renderPayload('fcm', { data: { text: 'x' } }).payload).length - 1;
  return renderPayload('fcm', { data: { text: 'x'.repeat(bytes - empty) } });
};

describe('a payload that is too large', () => {
  it('is refused at the first byte beyond the bound', () => {
    expect(JSON.stringify(ofBytes(4096).payload)).toHaveLength(4096);
    expect(() => ofBytes(4097)).toThrow('fcm payload exceeds 4096 bytes');
  });

  it('counts for Web Push what is encrypted', () => {
    const room = 3993 - JSON.stringify({ notification: { title: '' } }).length;
    expect(renderPayload('webpush', { title: 'x'.repeat(room), data: {} }).usedOverride).toBe(false);
    expect(() => renderPayload('webpush', { title: 'x'.repeat(room + 1), data: {} })).toThrow(
      'webPush payload exceeds 3993 bytes',
    );
  });

  it('may be larger for voip', () => {
    const voip = { headers: { 'apns-push-type': 'voip' }, aps: { text: 'x'.repeat(5000) } };
    expect(renderPayload('apns', { data: {} }, voip).usedOverride).toBe(true);
    expect(() => renderPayload('apns', { data: {} }, { aps: voip.aps })).toThrow(InvalidPayload);
  });
});

describe('an override', () => {
  it.each([
    ['apns', { headers: { 'apns-priority': '7' } }],
    ['apns', { headers: { 'apns-priority': 10 } }],
    ['apns', { headers: { 'apns-push-type': 'foo' } }],
    ['apns', { headers: [] }],
    ['apns', { headers: { 'apns-topic': 'a\nb' } }],
    ['apns', { headers: { 'apns-topic': 'a\r\nb: c' } }],
    ['apns', { headers: { 'apns-topic': '' } }],
    ['apns', { headers: { 'apns-topic': 'ä' } }],
    ['apns', { headers: { 'apns-collapse-id': 'a\u0000' } }],
    ['apns', { headers: { 'apns-expiration': '1\n' } }],
    ['webpush', { headers: { topic: 'a\nb' } }],
    ['webpush', { headers: { topic: 'x'.repeat(257) } }],
    ['wns', { type: 'raw', tag: 'a\nb' }],
    ['webpush', { headers: { urgency: 'max' } }],
    ['webpush', { headers: { ttl: -1 } }],
    ['webpush', { headers: { ttl: 'soon' } }],
    ['fcm', 'text'],
    ['fcm', { message: 'text' }],
    ['wns', { type: 'tile' }],
    ['wns', { type: 'poster', xml: '<a/>' }],
  ] as const)('is refused for %s when it is %j', (provider, override) => {
    expect(() => renderPayload(provider, { data: {} }, override)).toThrow(/^invalid \w+ override: /);
  });

  it('takes headers of printable ASCII', () => {
    const headers = { 'apns-topic': 'com.example.app', 'apns-collapse-id': 'a b', 'apns-expiration': '0' };
    expect(renderPayload('apns', { data: {} }, { headers, aps: {} }).payload['headers']).toEqual(headers);
  });

  it('is not needed for a collapse key that no header takes', () => {
    const { payload } = renderPayload('apns', { title: 't', data: {}, collapseKey: 'a\nb' });
    expect(payload['headers']).toMatchObject({
      'apns-collapse-id': expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  it('cannot say whom it goes to', () => {
    const { payload } = renderPayload('fcm', { data: {} }, { token: 'stolen', topic: 't', notification: {} });
    expect(payload).toEqual({ message: { notification: {} } });
  });
});
