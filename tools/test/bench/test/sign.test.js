import { describe, expect, it } from 'vitest';
import { signedPost, signedRequest } from '../load/sign.js';

const credentials = { app: '1042', key: 'k_4f81d0c7b29e', secret: 's_7a3e5590c1bd42f8' };

describe('signing', () => {
  it('gives the signature of the worked example of the HTTP API', () => {
    const body =
      '{"name":"order.created","channels":["orders","private-ops"],"data":"{\\"id\\":\\"ord_77\\"}","info":"subscription_count"}';
    expect(body.length).toBe(117);
    expect(signedPost(credentials, '/apps/1042/events', body, 1_760_000_000)).toBe(
      '/apps/1042/events?auth_key=k_4f81d0c7b29e&auth_timestamp=1760000000&auth_version=1.0' +
        '&body_md5=0d7f941a331f57782a5d7dc7ae602a23' +
        '&auth_signature=b2ac8e22c2abaae2b16107bbd089e1ebf34f2221f351d167e61cf84b5161d037',
    );
  });

  it('never sends the secret', () => {
    const request = signedRequest(credentials, '127.0.0.1:6001', 'events', {
      name: 'bench',
      channels: ['é'],
      data: '',
    });
    const [head = '', body = ''] = request.toString().split('\r\n\r\n');
    expect(request.toString()).not.toContain(credentials.secret);
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  });
});
