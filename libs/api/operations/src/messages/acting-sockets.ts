import { ServiceError } from '@carillon/errors';
import type { Broker } from '@carillon/broker';
import type { ActingSockets } from './parts.js';

/** Looks up a connection in every process with sockets. */
export const actingSockets = (broker: Pick<Broker, 'ask'>): ActingSockets => ({
  find: async (appId, socketId, channel) => {
    const { answer, complete } = await broker.ask('acting_socket', appId, { socketId, channel });
    if (answer !== null) return answer.protocol === 2 ? answer : null;
    if (complete) return null;
    throw new ServiceError('service_unavailable', {
      text: 'not every process says whether it has the socket',
    });
  },
  identityOf: async (appId, socketId, channel) => {
    const { answer, complete } = await broker.ask('acting_socket', appId, { socketId, channel });
    return { clientId: answer?.clientId ?? null, isKnown: answer !== null || complete };
  },
});
