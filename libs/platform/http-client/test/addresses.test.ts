import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../src/addresses.js';
import { checkHost, guardedLookup, TargetNotAllowed } from '../src/guarded-lookup.js';

const PRIVATE = [
  '0.0.0.0',
  '10.1.2.3',
  '100.100.100.200',
  '127.0.0.1',
  '168.63.129.16',
  '192.52.193.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '2001:0:a:b::1',
  '64:ff9b::10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  'not an address',
  '',
];
const PUBLIC = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '64:ff9b::8.8.8.8'];

describe('an address', () => {
  it.each(PRIVATE)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(PUBLIC)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('a host that is an address', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://a@10.0.0.1/',
    'http://[fd00:ec2::254]/',
  ])('%s is refused, however it is written', (url) => {
    expect(() => checkHost(new URL(url))).toThrow(TargetNotAllowed);
  });

  it.each(['http://8.8.8.8/', 'https://[2606:4700::1111]/', 'https://hooks.example.com/'])(
    '%s may be asked',
    (url) => expect(() => checkHost(new URL(url))).not.toThrow(),
  );
});

type Found = readonly { readonly address: string; readonly family: number }[];

function look(resolve: (host: string) => Promise<Found>, host: string, all = true): Promise<unknown> {
  return new Promise((answer, fail) => {
    guardedLookup(resolve)(host, { all }, (error, address, family) => {
      if (error === null) answer(all ? address : [address, family]);
      else fail(error);
    });
  });
}

const v4 = (...addresses: readonly string[]) => addresses.map((address) => ({ address, family: 4 }));

describe('a name', () => {
  it('leads to the very addresses that were looked at', async () => {
    const addresses = v4('1.1.1.1', '8.8.8.8');
    expect(await look(async () => addresses, 'h')).toEqual(addresses);
    expect(await look(async () => addresses, 'h', false)).toEqual(['1.1.1.1', 4]);
  });

  it('is refused as soon as one of them is not public, or there is none', async () => {
    await expect(look(async () => v4('1.1.1.1', '10.0.0.1'), 'h')).rejects.toThrow(TargetNotAllowed);
    await expect(look(async () => [], 'h')).rejects.toThrow(TargetNotAllowed);
    await expect(look(async () => v4('127.0.0.1'), 'localhost', false)).rejects.toThrow(TargetNotAllowed);
  });

  it('that cannot be resolved says why', async () => {
    await expect(look(() => Promise.reject(new Error('ENOTFOUND')), 'h')).rejects.toThrow('ENOTFOUND');
  });

  it('is looked up once at a time, and anew the next time', async () => {
    const answers: ((found: Found) => void)[] = [];
    const lookup = guardedLookup(() => new Promise((resolve) => void answers.push(resolve)));
    const found: unknown[] = [];
    for (let times = 0; times < 3; times += 1)
      lookup('h', { all: true }, (_, address) => found.push(address));
    expect(answers).toHaveLength(1);
    answers[0]?.(v4('1.1.1.1'));
    await new Promise((later) => void setImmediate(later));
    expect(found).toHaveLength(3);
    lookup('h', { all: true }, () => {});
    expect(answers).toHaveLength(2);
  });
});
