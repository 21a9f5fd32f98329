const LOOPBACK = /^(127(\.\d+){3}|\[::1\]|localhost)$/;

/** Whether a host name, as in a parsed URL, is this machine. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Whether an endpoint that the operator configured may be used: https, or outside production http on loopback. */
export const isEndpoint = ({ protocol, hostname }: URL, production: boolean): boolean =>
  protocol === 'https:' || (protocol === 'http:' && !production && isLoopback(hostname));
