import { describe, expect, it } from 'vitest';
import { checkDeviceUrl, DeviceUrlNotAllowed, type DeviceUrlRules } from '../src/index.js';

const RULES: DeviceUrlRules = { allowLocal: false, allowedHosts: [], deniedHosts: [], wnsHosts: [] };

const REFUSED = [
  'http://push.example/1',
  'push.example/1',
  'https://user@push.example/1',
  'https://a@10.0.0.1/x',
  'https://push.example:8443/1',
  'https://localhost/1',
  'https://LOCALHOST./1',
  'https://a.localhost/1',
  'https://printer.local/1',
  'https://metadata.google.internal/1',
  'https://169.254.169.254/x',
  'https://127.1/x',
  'https://0x7f000001/x',
  'https://2130706433/x',
  'https://017700000001/x',
  'https://0/x',
  'https://10.1/x',
  'https://100.64.0.1/x',
  'https://192.168.0.1/x',
  'https://192.0.2.1/x',
  'https://198.18.0.1/x',
  'https://[::1]/x',
  'https://[::]/x',
  'https://[::ffff:10.0.0.1]/x',
  'https://[::ffff:a00:1]/x',
  'https://[64:ff9b::10.0.0.1]/x',
  'https://[2002:a00:1::]/x',
  'https://[fe80::1]/x',
  'https://[fd00::1]/x',
  'https://[ff02::1]/x',
  'https://[2001:db8::1]/x',
  'https://①②⑦.0.0.1/x',
  'https://0177.0.0.1/x',
  'https://0x7f.1/x',
  'https://127.0.1/x',
  'https://127.0.0.1./x',
  'https://%31%32%37.0.0.1/x',
  'https://１２７.0.0.1/x',
  'https://127。0。0。1/x',
  'https://3232235777/x',
  'https://0xa9fea9fe/x',
  'https://172.16.0.1/x',
  'https://172.31.255.255/x',
  'https://192.0.0.1/x',
  'https://198.51.100.1/x',
  'https://203.0.113.1/x',
  'https://224.0.0.1/x',
  'https://240.0.0.1/x',
  'https://255.255.255.255/x',
  'https://[::ffff:127.0.0.1]/x',
  'https://[0:0:0:0:0:ffff:7f00:1]/x',
  'https://[::127.0.0.1]/x',
  'https://[0000::0001]/x',
  'https://[64:ff9b::7f00:1]/x',
  'https://[2002:7f00:1::]/x',
  'https://[fc00::1]/x',
  'https://[fec0::1]/x',
  'https://user:secret@push.example/1',
  'https://push.example:80/1',
  'https://push.example:0/1',
  'https://localhost./1',
  'https://b.a.localhost/1',
  'https://a.internal./1',
  'wss://push.example/1',
  'ftp://push.example/1',
  'file:///etc/passwd',
  'data:text/plain,x',
  'https://',
  '',
  ' ',
  `https://push.example/${'x'.repeat(2048)}`,
];

describe('an address that a device names', () => {
  it.each(REFUSED)('is refused: %s', (url) => {
    expect(() => checkDeviceUrl(url, 'web', RULES)).toThrow(DeviceUrlNotAllowed);
  });

  it('is on a host that is allowed, by labels', () => {
    const rules = { ...RULES, allowedHosts: ['.push.example', 'Other.Example'] };
    const check = (host: string) => checkDeviceUrl(`https://${host}/1`, 'web', rules).hostname;
    expect(check('x.push.example')).toBe('x.push.example');
    expect(check('push.example')).toBe('push.example');
    expect(check('other.example')).toBe('other.example');
    expect(() => check('evilpush.example')).toThrow(DeviceUrlNotAllowed);
    expect(() => check('x.other.example')).toThrow(DeviceUrlNotAllowed);
  });

  it('is not on a host that is denied, though allowed', () => {
    const rules = { ...RULES, allowedHosts: ['.push.example'], deniedHosts: ['bad.push.example'] };
    expect(() => checkDeviceUrl('https://bad.push.example/', 'web', rules)).toThrow(DeviceUrlNotAllowed);
  });

  it('of WNS is on its hosts', () => {
    expect(checkDeviceUrl('https://db5.notify.windows.com/?t=1', 'wns', RULES).search).toBe('?t=1');
    expect(() => checkDeviceUrl('https://evil.example/', 'wns', RULES)).toThrow(DeviceUrlNotAllowed);
    expect(() => checkDeviceUrl('https://evilnotify.windows.com/', 'wns', RULES)).toThrow(
      DeviceUrlNotAllowed,
    );
  });

  it('may be inside the own network where that is allowed', () => {
    const rules = { ...RULES, allowLocal: true };
    expect(checkDeviceUrl('https://127.0.0.1:8443/x', 'web', rules).port).toBe('8443');
    expect(() => checkDeviceUrl('http://127.0.0.1/x', 'web', rules)).toThrow(DeviceUrlNotAllowed);
  });
});
