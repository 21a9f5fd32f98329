/** The environment of a process of a test or a bench: on loopback, at ports that are free, with a log to be read, and gone at once. */
export const PROCESS_ENV: Readonly<Record<string, string>> = {
  ENVIRONMENT: 'test',
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_HOST: '127.0.0.1',
  METRICS_PORT: '0',
  LOG_OUTPUT_FORMAT: 'json',
  SHUTDOWN_GRACE_PERIOD: '0',
};
