import { CompatError } from '@carillon/ably-core';

/** Credentials of a device, which contain its app and device id. */
export interface DeviceToken {
  readonly appId: string;
  readonly deviceId: string;
  /** Token in the form issued by push. */
  readonly token: string;
}

const VERSION = 'v1';
const PART = /^[\w-]+$/;

const part = (text: string): string => Buffer.from(text).toString('base64url');

export const deviceTokenText = ({ appId, deviceId, token }: DeviceToken): string =>
  [VERSION, part(appId), part(deviceId), token].join('.');

export const isDeviceToken = (text: string): boolean =>
  text.startsWith(`${VERSION}.`) && text.split('.').length === 4;

/** @throws CompatError 40140 for text of another form */
export function readDeviceToken(text: string): DeviceToken {
  const [version, appId = '', deviceId = '', token = '', ...more] = text.split('.');
  const isToken =
    version === VERSION && more.length === 0 && [appId, deviceId, token].every((one) => PART.test(one));
  if (!isToken) throw new CompatError(40_140, 'the device token is not valid');
  return {
    appId: Buffer.from(appId, 'base64url').toString(),
    deviceId: Buffer.from(deviceId, 'base64url').toString(),
    token,
  };
}
