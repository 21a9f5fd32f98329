/** Header with the delivery number of a job, from 1: RabbitMQ does not count deliveries. */
const ATTEMPT = 'service-delivery-attempt';

export const headersOf = (attempt: number): Readonly<Record<string, number>> => ({ [ATTEMPT]: attempt });

/** 1 if the header is missing. */
export function attemptOf(headers: unknown): number {
  const said: unknown = typeof headers === 'object' && headers !== null ? Reflect.get(headers, ATTEMPT) : 1;
  return Number.isSafeInteger(said) && Number(said) > 0 ? Number(said) : 1;
}
