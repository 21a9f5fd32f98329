const CONNECT_MS = 5000;

/** Settings of a client library of the cloud: region, address and time-outs. */
export const clientSettings = (region: string, endpoint: string | null, requestTimeoutMs: number) => ({
  region,
  ...(endpoint === null ? {} : { endpoint }),
  requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: requestTimeoutMs },
});
