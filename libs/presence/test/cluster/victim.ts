import { openPorts } from '../../src/drivers.js';
import { configuration } from '@carillon/testing';
import { as, LOBBY } from '../samples.js';
import { silentLog } from './silent-log.js';

const variables = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));

/** A process that joins, reports so, and is then killed. */
const { presence, channelCounts, connect } = await openPorts(configuration(variables), silentLog());
await connect?.();
for (const user of ['ada', 'bo']) await presence.join(as(user, `9.${user}`), Infinity);
await channelCounts.set(LOBBY.appId, 'news', 3);
process.send?.('ready');
