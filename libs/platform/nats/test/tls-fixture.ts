/** A self-signed certificate for 127.0.0.1 and localhost, made for these tests only. */
export const CERTIFICATE = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBoDCCAUegAwIBAgIUGCH8ti6V9oDl8lrDhD8NdTZJP64wCgYIKoZIzj0EAwIw',
  'FzEVMBMGA1UEAwwMbmF0cy5leGFtcGxlMCAXDTI2MTEyMzAyMzYwMFoYDzIxMjYx',
  'MDMwMDIzNjAwWjAXMRUwEwYDVQQDDAxuYXRzLmV4YW1wbGUwWTATBgcqhkjOPQIB',
  'BggqhkjOPQMBBwNCAAQ5+e0/5qsAw5c11Tj6Np74q3t/jJi1rmrmmTK6rp4Sxc/e',
  'GoOtfopeo5+brz119yAZrvNslyX/BNXqQgwPyH69o28wbTAdBgNVHQ4EFgQUM8Hm',
  'ISvExi8qq+cSuxyX32tnYKcwHwYDVR0jBBgwFoAUM8HmISvExi8qq+cSuxyX32tn',
  'YKcwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3Qw',
  'CgYIKoZIzj0EAwIDRwAwRAIgcCcC74yOsjHv8NDpcB0/rd/MTmrVdUyszXejIfXH',
  'muQCIEjpzEYJ74sOhMEtA5U5ozuiDi3D/lGOt8pUlAhfB06G',
  '-----END CERTIFICATE-----',
].join('\n');

export const PRIVATE_KEY = [
  '-----BEGIN PRIVATE KEY-----',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdDw5ePmwcIBuyy26',
  '/1vEIhnfgqPEHCFbexx/1rcz+OihRANCAAQ5+e0/5qsAw5c11Tj6Np74q3t/jJi1',
  'rmrmmTK6rp4Sxc/eGoOtfopeo5+brz119yAZrvNslyX/BNXqQgwPyH69',
  '-----END PRIVATE KEY-----',
].join('\n');
