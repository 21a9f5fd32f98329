/** Which delivery of a job a message stands for, from 1: RabbitMQ itself counts none. */
const ATTEMPT = 'service-delivery-attempt';

export const headersOf = (attempt: number): Readonly<Record<string, number>> => ({ [ATTEMPT]: attempt });

/** 1 where it is not said. */
export function attemptOf(headers: unknown): number {
  const said: unknown = typeof headers === 'object' && headers !== null ? Reflect.get(headers, ATTEMPT) : 1;
  return Number.isSafeInteger(said) && Number(said) > 0 ? Number(said) : 1;
}
